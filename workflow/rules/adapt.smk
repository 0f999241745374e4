"""Adaptation to an unlabelled language: adversarial alignment of features, distillation, self-training; or features
standardised by its texts, and heads refitted with their help.

INPUTS   model = results/models/..., results/stitched/... or results/adapted/..., source, target = results/tasks/...
OUTPUTS  folder = results/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}/,
         steps = results/steps/{recipe}/{task}/{src}-{tgt}/seed{seed}.parquet,
         improvements = results/improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv: what adaptation
         gains on target sets with other class priors; a job adapts to a part of the sets
"""


rule adapt_model:
    """Adapt a model to a language that has texts but no labels."""
    input:
        unpack(planned(model_inputs.adapting_input)),
    output:
        folder=directory("{chain}results/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}"),
        steps="{chain}results/steps/{recipe}/{task}/{src}-{tgt}/seed{seed}.parquet",
    log:
        "{chain}logs/adapt_model/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    benchmark:
        "{chain}benchmarks/adapt_model/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=ADAPTING),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("adapt_model.py"),
        stage=planned(model_inputs.adaptation_stage),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
        checkpoint="{chain}results/checkpoints/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}",
    script:
        "../scripts/adapt_model.py"


rule standardise_head:
    """Standardise the features of a stitched model by unlabelled texts of its language."""
    input:
        unpack(planned(model_inputs.standardising_input)),
    output:
        folder=directory("{chain}results/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}"),
    log:
        "{chain}logs/standardise_head/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    benchmark:
        "{chain}benchmarks/standardise_head/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["standardise"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("standardise_head.py"),
        max_length=entry("task", "max_length"),
    script:
        "../scripts/standardise_head.py"


rule refit_head:
    """Fit the head of a frozen model once more, with the help of unlabelled texts of the target language."""
    input:
        unpack(planned(model_inputs.refitting_input)),
    output:
        folder=directory("{chain}results/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}"),
    log:
        "{chain}logs/refit_head/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    benchmark:
        "{chain}benchmarks/refit_head/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["refit"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("refit_head.py"),
        refit=planned(model_inputs.refit_settings),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
    script:
        "../scripts/refit_head.py"


rule measure_improvements:
    """Measure what adaptation gains on some of the target sets with other class priors."""
    input:
        unpack(planned(model_inputs.improvement_input)),
    output:
        # Only recipes that build on this one need the models.
        models=temp(
            directory("{chain}results/adapted_to_sets/{recipe}/{task}/{src}-{tgt}/seed{seed}/part{part}")
        ),
        records="{chain}results/improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}/part{part}.tsv",
    log:
        "{chain}logs/measure_improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}/part{part}.log",
    benchmark:
        "{chain}benchmarks/measure_improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}/part{part}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=ADAPTING),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("measure_improvements.py"),
        stage=planned(model_inputs.adaptation_stage),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
        samples=planned(model_inputs.adapted_samples),
        sampling_seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}/part{part}",
    script:
        "../scripts/measure_improvements.py"


rule join_improvements:
    """Join what adaptation gains on the target sets of all jobs."""
    input:
        parts=planned(model_inputs.improvement_parts),
    output:
        improvements="{chain}results/improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv",
    log:
        "{chain}logs/join_improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    wildcard_constraints:
        recipe=names("recipes", method=ADAPTING),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("join_improvements.py"),
    script:
        "../scripts/join_improvements.py"
