"""Adaptation to an unlabelled language: adversarial alignment of features, distillation, self-training.

INPUTS   model = results/models/..., results/stitched/... or results/adapted/..., source, target = results/tasks/...
OUTPUTS  folder = results/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}/,
         steps = results/steps/{recipe}/{task}/{src}-{tgt}/seed{seed}.parquet,
         improvements = results/improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv: what adaptation
         gains on target sets with other class priors
"""


rule adapt_model:
    input:
        unpack(planned(model_inputs.adapting_input)),
    output:
        folder=directory("results/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}"),
        steps="results/steps/{recipe}/{task}/{src}-{tgt}/seed{seed}.parquet",
    log:
        "logs/adapt_model/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    benchmark:
        "benchmarks/adapt_model/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=ADAPTING),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=12000,
        runtime=720,
        gpu=1,
    params:
        library=library("adapt_model.py"),
        stage=planned(model_inputs.adaptation_stage),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
        checkpoint="results/checkpoints/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}",
    script:
        "../scripts/adapt_model.py"


rule measure_improvements:
    input:
        unpack(planned(model_inputs.improvement_input)),
    output:
        improvements="results/improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv",
    log:
        "logs/measure_improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    benchmark:
        "benchmarks/measure_improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=ADAPTING),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=12000,
        runtime=2880,
        gpu=1,
    params:
        library=library("measure_improvements.py"),
        stages=planned(model_inputs.adaptation_stages),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
        samples=planned(model_inputs.samples_of),
        sampling_seed=config["seed"],
        checkpoint="results/checkpoints/improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}",
    script:
        "../scripts/measure_improvements.py"
