"""Adapters (MAD-X): one per language, trained in a frozen encoder. A task adapter is trained on top of the source
language's by finetune_model; then the target language's takes its place.

INPUTS   encoder = results/encoders/{encoder}/, corpus = results/corpora/{corpus}/{lang}.parquet,
         model = results/models/{recipe}/{task}/{src}/seed{seed}/
OUTPUTS  folder = results/adapters/{adapters}/{lang}/, results/swapped/{recipe}/{task}/{src}-{tgt}/seed{seed}/
"""


rule train_adapter:
    """Train the adapter of a language in a frozen encoder by masked language modelling."""
    input:
        unpack(planned(encoder_inputs.adapter_input)),
    output:
        folder=directory("{chain}results/adapters/{adapters}/{lang}"),
    log:
        "{chain}logs/train_adapter/{adapters}/{lang}.log",
    benchmark:
        "{chain}benchmarks/train_adapter/{adapters}/{lang}.tsv"
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("train_adapter.py"),
        adapters=planned(encoder_inputs.adapter_settings),
        seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/adapters/{adapters}/{lang}",
    script:
        "../scripts/train_adapter.py"


rule swap_adapter:
    """Swap the target language's adapter into a model fine-tuned with the source language's."""
    input:
        unpack(planned(model_inputs.swapping_input)),
    output:
        folder=directory("{chain}results/swapped/{recipe}/{task}/{src}-{tgt}/seed{seed}"),
    log:
        "{chain}logs/swap_adapter/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["adapters"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("swap_adapter.py"),
    script:
        "../scripts/swap_adapter.py"
