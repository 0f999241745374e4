"""Reports on single languages: what covers them, how their models score and where the models are.

INPUTS   vectors, lexicon, anchors, models = results/stitched/{recipe}/{task}/{src}-{tgt}/seed{seed}/,
         text = labelled test texts; if there are none, the text the vectors were trained on, if any
OUTPUTS  coverage = results/reports/{recipe}/{task}/{src}-{tgt}.coverage.tsv,
         report = results/reports/{recipe}/{task}/{src}-{tgt}.md
"""


localrules:
    report_language,


rule report_coverage:
    """Measure how much of a language its vectors, lexicon and anchors reach."""
    input:
        unpack(planned(reports.coverage_input)),
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
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("report_coverage.py"),
        text=planned(reports.covered_name),
    script:
        "../scripts/report_coverage.py"


rule report_language:
    """Report on one language: what covers it, how its models score and where they are."""
    input:
        unpack(planned(reports.report_input)),
    output:
        report="results/reports/{recipe}/{task}/{src}-{tgt}.md",
    log:
        "logs/report_language/{recipe}/{task}/{src}-{tgt}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["stitch"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("report_language.py"),
        title=planned(reports.report_title),
        summary=planned(reports.report_summary),
        labels=planned(tasks.task_labels),
    script:
        "../scripts/report_language.py"
