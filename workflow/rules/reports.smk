"""Reports on single languages: what covers them, how their models score and err, and where the models are.

INPUTS   vectors, lexicon, anchors, models = results/stitched/{recipe}/{task}/{src}-{tgt}/seed{seed}/,
         text = labelled test texts; if there are none, the text the vectors were trained on, if any
OUTPUTS  coverage = results/reports/{recipe}/{task}/{src}-{tgt}.coverage.tsv,
         scores = ...source.tsv, predictions = ...source.parquet: of the models before they are stitched,
         report = results/reports/{recipe}/{task}/{src}-{tgt}.html
"""


localrules:
    report_language,


rule report_coverage:
    """Measure how much of a language its vectors, lexicon and anchors reach."""
    input:
        unpack(planned(reports.coverage_input)),
    output:
        coverage="results/reports/{recipe}/{task}/{src}-{tgt}.coverage.tsv",
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


rule evaluate_source:
    """Score the models that a recipe stitches, before it does, in their own language."""
    input:
        unpack(planned(reports.source_input)),
    output:
        scores="results/reports/{recipe}/{task}/{src}-{tgt}.source.tsv",
        predictions="results/reports/{recipe}/{task}/{src}-{tgt}.source.parquet",
    log:
        "logs/evaluate_source/{recipe}/{task}/{src}-{tgt}.log",
    benchmark:
        "benchmarks/evaluate_source/{recipe}/{task}/{src}-{tgt}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["stitch"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("evaluate_source.py", tasks.task_head),
        seeds=planned(reports.source_seeds),
        rows=planned(tasks.task_rows),
        settings=planned(tasks.head_settings),
        scale=config["scale"],
    script:
        "../scripts/evaluate_source.py"


rule report_language:
    """Report on one language: what covers it, how its models score and where they are."""
    input:
        unpack(planned(reports.report_input)),
    output:
        report=report(
            "results/reports/{recipe}/{task}/{src}-{tgt}.html",
            caption="../report/language.rst",
            category="Languages",
            labels={"language": "{tgt}", "recipe": "{recipe}", "task": "{task}"},
        ),
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
        about=planned(reports.report_about),
        labels=planned(tasks.task_labels),
        seed=config["seed"],
    script:
        "../scripts/report_language.py"
