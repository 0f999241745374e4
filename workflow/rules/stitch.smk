"""Stitching: both embedding tables mapped into the source model's space, then swapped in; or texts translated word by
word, which leaves the model as it is.

INPUTS   source = results/encoders/{encoder}.input.npz, target = results/vectors/...,
         anchors = results/anchors/..., lexicon = results/lexica/..., model = results/models/...
OUTPUTS  mapped = results/mapped/{recipe}/{src}-{tgt}.npz
         folder = results/stitched/{recipe}/{task}/{src}-{tgt}/seed{seed}/
         translated = results/translated/{recipe}/{task}/{src}-{tgt}/{split}.parquet
"""


rule map_embeddings:
    """Map both embedding tables of a language pair into the source model's space."""
    input:
        unpack(planned(space_inputs.mapping_input)),
    output:
        mapped="{chain}results/mapped/{recipe}/{src}-{tgt}.npz",
    log:
        "{chain}logs/map_embeddings/{recipe}/{src}-{tgt}.log",
    benchmark:
        "{chain}benchmarks/map_embeddings/{recipe}/{src}-{tgt}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["stitch"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("map_embeddings.py"),
        mapping=entry("recipe", "mapping"),
    script:
        "../scripts/map_embeddings.py"


rule stitch_model:
    """Swap the target language's embeddings and tokenizer into a fine-tuned source model."""
    input:
        unpack(planned(model_inputs.stitching_input)),
    output:
        folder=directory("{chain}results/stitched/{recipe}/{task}/{src}-{tgt}/seed{seed}"),
    log:
        "{chain}logs/stitch_model/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["stitch"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("stitch_model.py"),
        usage=planned(exports.usage_notes),
    script:
        "../scripts/stitch_model.py"


rule translate_texts:
    """Replace every word of a task's texts by its best translation in a lexicon."""
    input:
        unpack(planned(model_inputs.translating_input)),
    output:
        translated="{chain}results/translated/{recipe}/{task}/{src}-{tgt}/{split}.parquet",
    log:
        "{chain}logs/translate_texts/{recipe}/{task}/{src}-{tgt}/{split}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["gloss", "translated-regression"]),
        task=names("tasks", kind=tasks.OF_TEXTS),
        split="train|dev|test",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("translate_texts.py"),
        glossed=planned(model_inputs.is_glossed),
    script:
        "../scripts/translate_texts.py"
