"""Recommendations: of all models that a language's files allow, the one that promises most without labels.

INPUTS   models = results/stitched/..., results/adapted/..., texts = results/unlabelled/{task}/{tgt}.parquet,
         dev = results/tasks/{task}/{src}/dev.parquet, lexicon, target = the target's vectors,
         known = config/recommended.tsv: choices in languages where the truth is known
OUTPUTS  choice = results/recommended/{task}/{src}-{tgt}.tsv,
         scores, predictions = results/reports/best/{task}/{src}-{tgt}.scores.tsv, .parquet: with labelled test texts,
         results/exported/best/{task}/{src}-{tgt}/: the chosen model with its card,
         report = results/reports/best/{task}/{src}-{tgt}.html,
         judged = results/recommended/{task}/{src}.tsv: choices of all languages and chains beside the truth,
         scores = results/scores/{recipe}/{task}/{src}.tsv, predictions = results/predictions/{recipe}/{task}/{src}.parquet:
         those of the chosen candidates, as a recipe of its own
"""


localrules:
    judge_choices,
    report_best,
    take_recommended,


rule choose_recipe:
    """Choose the recipe of a language's model, without labels in that language."""
    input:
        unpack(planned(recommendations.choice_input)),
    output:
        choice="{chain}results/recommended/{task}/{src}-{tgt}.tsv",
    log:
        "{chain}logs/choose_recipe/{task}/{src}-{tgt}.log",
    benchmark:
        "{chain}benchmarks/choose_recipe/{task}/{src}-{tgt}.tsv"
    wildcard_constraints:
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("choose_recipe.py"),
        candidates=planned(recommendations.candidate_minutes),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
    script:
        "../scripts/choose_recipe.py"


rule evaluate_best:
    """Score the model that was chosen without labels, on labelled texts of its language."""
    input:
        unpack(planned(recommendations.scored_input)),
    output:
        scores="results/reports/best/{task}/{src}-{tgt}.scores.tsv",
        predictions="results/reports/best/{task}/{src}-{tgt}.parquet",
    log:
        "logs/evaluate_best/{task}/{src}-{tgt}.log",
    benchmark:
        "benchmarks/evaluate_best/{task}/{src}-{tgt}.tsv"
    wildcard_constraints:
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("evaluate_best.py"),
        seeds=planned(recommendations.candidate_seeds),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
        scale=config["scale"],
    script:
        "../scripts/evaluate_best.py"


rule export_best:
    """Copy the chosen model into a folder to give away, with a card that says why it was chosen."""
    input:
        unpack(planned(recommendations.best_export_input)),
        known=local("config/recommended.tsv"),
    output:
        **recommendations.best_files(),
    log:
        "logs/export_best/{task}/{src}-{tgt}.log",
    wildcard_constraints:
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        library=library("export_best.py"),
        about=planned(recommendations.best_about),
        facts=planned(recommendations.best_facts),
        seed=config["seed"],
    script:
        "../scripts/export_best.py"


rule report_best:
    """Recommend a model for a language: which one, why, what to expect and what would help most."""
    input:
        unpack(planned(recommendations.best_report_input)),
        known=local("config/recommended.tsv"),
        curves=local(checked(recommendations.recorded_curves, RUN)),
    output:
        report=report(
            "results/reports/best/{task}/{src}-{tgt}.html",
            caption="../report/best.rst",
            category="Languages",
            labels={"language": "{tgt}", "recipe": "recommended", "task": "{task}"},
        ),
    log:
        "logs/report_best/{task}/{src}-{tgt}.log",
    wildcard_constraints:
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("report_best.py"),
        about=planned(recommendations.best_about),
        left_out=planned(recommendations.left_out),
        labels=planned(tasks.task_labels),
        seed=config["seed"],
    script:
        "../scripts/report_best.py"


rule judge_choices:
    """Put choices that were made without labels beside the scores of all candidates."""
    input:
        unpack(planned(recommendations.judged_input)),
    output:
        judged="results/recommended/{task}/{src}.tsv",
    log:
        "logs/judge_choices/{task}/{src}.log",
    wildcard_constraints:
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("judge_choices.py"),
        cases=planned(recommendations.judged_cases),
        scale=config["scale"],
    script:
        "../scripts/judge_choices.py"


rule take_recommended:
    """Take what the candidate that was chosen without labels scores in every target language."""
    input:
        unpack(planned(recommendations.taken_input)),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
        predictions="{chain}results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "{chain}logs/take_recommended/{recipe}/{task}/{src}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["recommended"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("take_recommended.py"),
        chain=planned(chains.job_chain_name),
        targets=planned(cases.recipe_targets),
        seeds=planned(recommendations.taken_seeds),
    script:
        "../scripts/take_recommended.py"
