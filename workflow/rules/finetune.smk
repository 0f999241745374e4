"""Fine-tuning on the rows of a task, with the head for rows of its kind. Rows are the source language's; in
supervised recipes the target's, or both.

INPUTS   encoder = results/encoders/{encoder}/, train, dev = results/tasks/{task}/{src}/...,
         embeddings = results/mapped/{recipe}/{src}-{tgt}.npz if the source side is mapped,
         adapter = results/adapters/{adapters}/{src}/ if a task adapter is trained
OUTPUTS  folder = results/models/{recipe}/{task}/{space}/seed{seed}/

A frozen encoder is not fine-tuned: only a head is fitted to its states, in seconds.
"""


rule finetune_model:
    """Fine-tune an encoder, with its own or mapped input embeddings, or an adapter in it, on a task's rows."""
    input:
        unpack(planned(model_inputs.finetuning_input)),
    output:
        folder=directory("{chain}results/models/{recipe}/{task}/{space}/seed{seed}"),
    log:
        "{chain}logs/finetune_model/{recipe}/{task}/{space}/seed{seed}.log",
    benchmark:
        "{chain}benchmarks/finetune_model/{recipe}/{task}/{space}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["stitch", "zero-shot", "adapters", *cases.SUPERVISED]),
        task=names("tasks", kind=tasks.LEARNT),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("finetune_model.py", tasks.task_head),
        rows=planned(tasks.task_rows),
        settings=planned(tasks.head_settings),
        training=planned(model_inputs.training_settings),
        freeze_embeddings=planned(model_inputs.embeddings_frozen),
        task_adapter=planned(model_inputs.task_adapter_settings),
        skew=planned(model_inputs.skew_of),
        sampling_seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/models/{recipe}/{task}/{space}/seed{seed}",
    script:
        "../scripts/finetune_model.py"


rule fit_head:
    """Fit a head to the states of an encoder that stays as it is."""
    input:
        unpack(planned(model_inputs.head_input)),
    output:
        folder=directory("{chain}results/models/{recipe}/{task}/{src}/seed{seed}"),
    log:
        "{chain}logs/fit_head/{recipe}/{task}/{src}/seed{seed}.log",
    benchmark:
        "{chain}benchmarks/fit_head/{recipe}/{task}/{src}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["frozen"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("fit_head.py"),
        head=planned(model_inputs.head_settings),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
    script:
        "../scripts/fit_head.py"
