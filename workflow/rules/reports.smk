"""Reports on single languages: what covers them, how their models score and where these lie.

INPUTS   vectors, lexicon, anchors, models = results/stitched/{recipe}/{task}/{src}-{tgt}/seed{seed}/,
         text = labelled test texts; without these the text that vectors were trained on; else the lexicon
OUTPUTS  coverage = results/reports/{recipe}/{task}/{src}-{tgt}.coverage.tsv,
         report = results/reports/{recipe}/{task}/{src}-{tgt}.md
"""


localrules:
    report_language,


rule report_coverage:
    input:
        unpack(coverage_input),
    output:
        coverage=report(
            "results/reports/{recipe}/{task}/{src}-{tgt}.coverage.tsv",
            caption="../report/coverage.rst",
            category="Languages",
            labels={"language": "{tgt}", "recipe": "{recipe}", "task": "{task}"},
        ),
    log:
        "logs/report_coverage/{recipe}/{task}/{src}-{tgt}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["stitch"]),
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        library=library("report_coverage.py"),
        text=lambda wildcards: covered_text(wildcards)[0],
        column=lambda wildcards: covered_text(wildcards)[2],
    script:
        "../scripts/report_coverage.py"


rule report_language:
    input:
        unpack(report_input),
    output:
        report="results/reports/{recipe}/{task}/{src}-{tgt}.md",
    log:
        "logs/report_language/{recipe}/{task}/{src}-{tgt}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["stitch"]),
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("report_language.py"),
        title=lambda wildcards: f"{LANGUAGES[wildcards.tgt]['name']} ({wildcards.tgt})",
        summary=report_summary,
        labels=task_labels,
    script:
        "../scripts/report_language.py"
