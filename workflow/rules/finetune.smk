"""Fine-tuning on the rows of a task, by the head for what its reader reads: the source language's rows; the target's,
or both languages', where a recipe is supervised.

INPUTS   encoder = results/encoders/{encoder}/, train, dev = results/tasks/{task}/{src}/...,
         embeddings = results/mapped/{recipe}/{src}-{tgt}.npz where the source side is mapped
OUTPUTS  folder = results/models/{recipe}/{task}/{space}/seed{seed}/
"""


rule finetune_model:
    input:
        unpack(finetuning_input),
    output:
        folder=directory("results/models/{recipe}/{task}/{space}/seed{seed}"),
    log:
        "logs/finetune_model/{recipe}/{task}/{space}/seed{seed}.log",
    benchmark:
        "benchmarks/finetune_model/{recipe}/{task}/{space}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["stitch", "zero-shot", *SUPERVISED]),
        task=names("tasks", reader=LEARNT),
    conda:
        "../../envs/neural.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=240,
        gpu=1,
    params:
        library=lambda wildcards: library("finetune_model.py", head_module(task_rows(wildcards))),
        rows=task_rows,
        settings=head_settings,
        training=training_settings,
        freeze_embeddings=lambda wildcards: RECIPES[wildcards.recipe].get("freeze_embeddings", False),
        skew=skew_of,
        sampling_seed=config["seed"],
        checkpoint="results/checkpoints/models/{recipe}/{task}/{space}/seed{seed}",
    script:
        "../scripts/finetune_model.py"
