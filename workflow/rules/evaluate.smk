"""Evaluation: one job scores all target languages and seeds of a recipe, for starting torch costs seconds.

INPUTS   models = results/models/... or results/stitched/..., tests = results/tasks/{task}/{tgt}/test.parquet
OUTPUTS  scores = results/scores/{recipe}/{task}/{src}.tsv,
         predictions = results/predictions/{recipe}/{task}/{src}.parquet, of models that were fine-tuned

Sentence retrieval asks an encoder as it is: no model is fine-tuned, and the seed of its scores is 0.
"""


rule evaluate_models:
    input:
        models=lambda wildcards: sorted({case[2] for case in evaluation_cases(wildcards)}),
        tests=lambda wildcards: sorted({case[3] for case in evaluation_cases(wildcards)}),
    output:
        scores="results/scores/{recipe}/{task}/{src}.tsv",
        predictions="results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "logs/evaluate_models/{recipe}/{task}/{src}.log",
    benchmark:
        "benchmarks/evaluate_models/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=references.MODEL_METHODS),
        task=names("tasks", reader=LEARNT),
    conda:
        "../../envs/neural.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=60,
        gpu=1,
    params:
        library=lambda wildcards: library("evaluate_models.py", head_module(task_rows(wildcards))),
        cases=evaluation_cases,
        rows=task_rows,
        settings=head_settings,
        scale=config["scale"],
    script:
        "../scripts/evaluate_models.py"


rule measure_sentence_retrieval:
    input:
        encoder=lambda wildcards: f"results/encoders/{RECIPES[wildcards.recipe]['encoder']}",
        tests=target_texts("test"),
    output:
        scores="results/scores/{recipe}/{task}/{src}.tsv",
    log:
        "logs/measure_sentence_retrieval/{recipe}/{task}/{src}.log",
    benchmark:
        "benchmarks/measure_sentence_retrieval/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["zero-shot"]),
        task=names("tasks", reader=["tatoeba"]),
    conda:
        "../../envs/neural.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=60,
        gpu=1,
    params:
        library=library("measure_sentence_retrieval.py"),
        targets=lambda wildcards: targets_of(wildcards.recipe, wildcards.task),
        layer=lambda wildcards: config["tasks"][wildcards.task]["layer"],
        max_length=lambda wildcards: config["tasks"][wildcards.task]["max_length"],
        scale=config["scale"],
    script:
        "../scripts/measure_sentence_retrieval.py"


rule evaluate_classifiers:
    input:
        vectors=lambda wildcards: expand(
            "results/vectors/{vectors}/{tgt}.npz",
            vectors=RECIPES[wildcards.recipe]["vectors"],
            tgt=targets_of(wildcards.recipe, wildcards.task),
        ),
        train=target_texts("train"),
        test=target_texts("test"),
    output:
        scores="results/scores/{recipe}/{task}/{src}.tsv",
        predictions="results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "logs/evaluate_classifiers/{recipe}/{task}/{src}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["logistic-regression"]),
        task=names("tasks", reader=[reader for reader, rows in READERS.items() if rows == "texts"]),
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        library=library("evaluate_classifiers.py"),
        targets=lambda wildcards: targets_of(wildcards.recipe, wildcards.task),
        labels=task_labels,
        scale=config["scale"],
    script:
        "../scripts/evaluate_classifiers.py"
