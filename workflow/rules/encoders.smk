"""Encoders: pre-trained here on corpora, random, or taken from a folder; downloaded ones come by download.smk.

INPUTS   corpora = results/corpora/{corpus}/{lang}.parquet; files of a transformers folder
OUTPUTS  folder = results/encoders/{encoder}/
"""


localrules:
    import_encoder,


rule pretrain_encoder:
    input:
        corpora=planned(encoder_inputs.encoder_corpora),
    output:
        folder=directory("results/encoders/{encoder}"),
    log:
        "logs/pretrain_encoder/{encoder}.log",
    benchmark:
        "benchmarks/pretrain_encoder/{encoder}.tsv"
    wildcard_constraints:
        encoder=names("encoders", origin=["pretrain"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=4000,
        runtime=240,
        gpu=1,
    params:
        library=library("pretrain_encoder.py"),
        encoder=entry("encoder"),
        seed=config["seed"],
        checkpoint="results/checkpoints/encoders/{encoder}",
    script:
        "../scripts/pretrain_encoder.py"


rule import_encoder:
    input:
        files=imported_encoder,
    output:
        folder=directory("results/encoders/{encoder}"),
    log:
        "logs/import_encoder/{encoder}.log",
    wildcard_constraints:
        encoder=names("encoders", origin=["folder", "package"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=20,
    params:
        library=library("import_encoder.py"),
        version=planned(encoder_inputs.imported_version),
    script:
        "../scripts/import_encoder.py"


rule initialise_encoder:
    output:
        folder=directory("results/encoders/{encoder}"),
    log:
        "logs/initialise_encoder/{encoder}.log",
    wildcard_constraints:
        encoder=names("encoders", origin=["random"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("initialise_encoder.py"),
        encoder=entry("encoder"),
        seed=config["seed"],
    script:
        "../scripts/initialise_encoder.py"
