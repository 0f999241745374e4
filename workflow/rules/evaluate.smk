"""Evaluation: one job scores all target languages and seeds of a recipe, because loading torch takes seconds.

INPUTS   models = results/models/..., results/stitched/... or results/swapped/..., tests = results/tasks/{task}/{tgt}/test.parquet
OUTPUTS  scores = results/scores/{recipe}/{task}/{src}.tsv,
         predictions = results/predictions/{recipe}/{task}/{src}.parquet, for fine-tuned models,
         features = results/features/{recipe}/{task}/{src}-{tgt}.npz, what heads for a few labels are fitted to

Sentence retrieval uses an encoder as it is: no model is fine-tuned, and the seed of its scores is 0.
"""


rule evaluate_models:
    """Score the models of a recipe for every target language and seed."""
    input:
        unpack(planned(cases.evaluation_input)),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
        predictions="{chain}results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "{chain}logs/evaluate_models/{recipe}/{task}/{src}.log",
    benchmark:
        "{chain}benchmarks/evaluate_models/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=MODEL_METHODS),
        task=names("tasks", kind=tasks.LEARNT),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("evaluate_models.py", tasks.task_head),
        chain=planned(chains.job_chain_name),
        cases=planned(cases.evaluation_cases),
        rows=planned(tasks.task_rows),
        settings=planned(tasks.head_settings),
        scale=config["scale"],
    script:
        "../scripts/evaluate_models.py"


rule measure_sentence_retrieval:
    """Score an encoder, without fine-tuning, by the translations it finds in every target language."""
    input:
        encoder=planned(model_inputs.recipe_encoder),
        tests=planned(tasks.texts_to_test),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
    log:
        "{chain}logs/measure_sentence_retrieval/{recipe}/{task}/{src}.log",
    benchmark:
        "{chain}benchmarks/measure_sentence_retrieval/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["zero-shot"]),
        task=names("tasks", kind=["tatoeba"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("measure_sentence_retrieval.py"),
        chain=planned(chains.job_chain_name),
        targets=planned(cases.recipe_targets),
        layer=entry("task", "layer"),
        max_length=entry("task", "max_length"),
        scale=config["scale"],
    script:
        "../scripts/measure_sentence_retrieval.py"


rule evaluate_classifiers:
    """Score logistic regression on mean word vectors in every target language."""
    input:
        vectors=planned(tasks.classified_vectors),
        train=planned(tasks.texts_to_train),
        own=planned(tasks.own_texts),
        test=planned(tasks.texts_to_test),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
        predictions="{chain}results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "{chain}logs/evaluate_classifiers/{recipe}/{task}/{src}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["logistic-regression", "translated-regression"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("evaluate_classifiers.py"),
        chain=planned(chains.job_chain_name),
        targets=planned(cases.recipe_targets),
        labels=planned(tasks.task_labels),
        size=planned(cases.labels_drawn),
        draws=planned(cases.label_draws),
        seed=planned(chains.job_seed),
        scale=config["scale"],
    script:
        "../scripts/evaluate_classifiers.py"


rule evaluate_aligned_classifiers:
    """Score logistic regression on mean vectors, trained on source texts, in every aligned target language."""
    input:
        aligned=planned(tasks.aligned_spaces),
        train=planned(tasks.source_texts),
        own=planned(tasks.own_texts),
        test=planned(tasks.texts_to_test),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
        predictions="{chain}results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "{chain}logs/evaluate_aligned_classifiers/{recipe}/{task}/{src}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["aligned-regression"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("evaluate_aligned_classifiers.py"),
        chain=planned(chains.job_chain_name),
        targets=planned(cases.recipe_targets),
        labels=planned(tasks.task_labels),
        scale=config["scale"],
    script:
        "../scripts/evaluate_aligned_classifiers.py"


rule evaluate_ensembles:
    """Score the mean of several models' probabilities for every target language and seed."""
    input:
        unpack(planned(cases.ensemble_input)),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
        predictions="{chain}results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "{chain}logs/evaluate_ensembles/{recipe}/{task}/{src}.log",
    benchmark:
        "{chain}benchmarks/evaluate_ensembles/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["ensemble"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("evaluate_ensembles.py"),
        chain=planned(chains.job_chain_name),
        cases=planned(cases.ensemble_cases),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
        scale=config["scale"],
    script:
        "../scripts/evaluate_ensembles.py"


rule encode_features:
    """Compute what the head of a frozen model reads of a task's texts, stitched and in the source language."""
    input:
        unpack(planned(cases.features_input)),
    output:
        features="{chain}results/features/{recipe}/{task}/{src}-{tgt}.npz",
    log:
        "{chain}logs/encode_features/{recipe}/{task}/{src}-{tgt}.log",
    benchmark:
        "{chain}benchmarks/encode_features/{recipe}/{task}/{src}-{tgt}.tsv"
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
        library=library("encode_features.py"),
        max_length=entry("task", "max_length"),
    script:
        "../scripts/encode_features.py"


rule evaluate_labelled_heads:
    """Score heads fitted to a few labelled texts of every target language, on a stitched model's features."""
    input:
        unpack(planned(cases.labelled_input)),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
        predictions="{chain}results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "{chain}logs/evaluate_labelled_heads/{recipe}/{task}/{src}.log",
    benchmark:
        "{chain}benchmarks/evaluate_labelled_heads/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["labelled-head"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("evaluate_labelled_heads.py"),
        chain=planned(chains.job_chain_name),
        cases=planned(cases.labelled_cases),
        labels=planned(tasks.task_labels),
        recipe=planned(cases.labelled_settings),
        draws=planned(cases.label_draws),
        seed=planned(chains.job_seed),
        scale=config["scale"],
    script:
        "../scripts/evaluate_labelled_heads.py"


rule evaluate_contrastive_heads:
    """Score heads on bodies that are tuned on pairs of a few labelled texts of every target language."""
    input:
        unpack(planned(cases.contrastive_input)),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
        predictions="{chain}results/predictions/{recipe}/{task}/{src}.parquet",
    log:
        "{chain}logs/evaluate_contrastive_heads/{recipe}/{task}/{src}.log",
    benchmark:
        "{chain}benchmarks/evaluate_contrastive_heads/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["contrastive-head"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("evaluate_contrastive_heads.py"),
        chain=planned(chains.job_chain_name),
        cases=planned(cases.contrastive_cases),
        labels=planned(tasks.task_labels),
        recipe=planned(cases.contrastive_settings),
        draws=planned(cases.label_draws),
        seed=planned(chains.job_seed),
        max_length=entry("task", "max_length"),
        scale=config["scale"],
        checkpoint="{chain}results/checkpoints/heads/{recipe}/{task}/{src}",
    script:
        "../scripts/evaluate_contrastive_heads.py"
