"""Encoders that go on from another one: pre-trained further (x2s), or aligned by parallel sentences (wordot).

INPUTS   encoder = results/encoders/{base}/, corpora = results/corpora/{corpus}/{lang}.parquet,
         words = results/vectors/{vectors}/{lang}.npz, aligned = results/aligned/{alignment}/{src}-{tgt}.npz,
         Moses files = resources/opus/..., pairs = results/parallel/{parallel}/{lang}.parquet
OUTPUTS  folder = results/encoders/{encoder}/, pairs = results/parallel/{parallel}/{lang}.parquet
"""


rule adapt_encoder:
    input:
        unpack(adaptation_input),
    output:
        folder=directory("results/encoders/{encoder}"),
    log:
        "logs/adapt_encoder/{encoder}.log",
    benchmark:
        "benchmarks/adapt_encoder/{encoder}.tsv"
    wildcard_constraints:
        encoder=names("encoders", origin=["adapt"]),
    conda:
        "../../envs/neural.yaml"
    threads: 1
    resources:
        mem_mb=16000,
        runtime=1440,
        gpu=1,
    params:
        library=library("adapt_encoder.py"),
        encoder=later_training_settings,
        source=SOURCE,
        targets=lambda wildcards: adapted_targets(config["encoders"][wildcards.encoder]),
        seed=config["seed"],
        checkpoint="results/checkpoints/encoders/{encoder}",
    script:
        "../scripts/adapt_encoder.py"


rule import_parallel:
    input:
        lambda wildcards: sum(parallel_files(wildcards).values(), []),
    output:
        pairs="results/parallel/{parallel}/{lang}.parquet",
        counts="results/parallel/{parallel}/{lang}.counts.tsv",
    log:
        "logs/import_parallel/{parallel}/{lang}.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        library=library("import_parallel.py"),
        source=SOURCE,
        corpora=lambda wildcards: {name: len(own) for name, own in parallel_files(wildcards).items()},
        pairs=lambda wildcards: config["parallel"][wildcards.parallel]["pairs"],
        tokenizers=lambda wildcards: [parallel_tokenizer(lang) for lang in (wildcards.lang, SOURCE)],
        seed=config["seed"],
    script:
        "../scripts/import_parallel.py"


rule align_encoder:
    input:
        encoder=lambda wildcards: "results/encoders/{base}".format(**config["encoders"][wildcards.encoder]),
        parallel=encoder_parallel,
    output:
        folder=directory("results/encoders/{encoder}"),
    log:
        "logs/align_encoder/{encoder}.log",
    benchmark:
        "benchmarks/align_encoder/{encoder}.tsv"
    wildcard_constraints:
        encoder=names("encoders", origin=["align"]),
    conda:
        "../../envs/neural.yaml"
    threads: 1
    resources:
        mem_mb=16000,
        runtime=1440,
        gpu=1,
    params:
        library=library("align_encoder.py"),
        encoder=lambda wildcards: {
            key: value for key, value in later_training_settings(wildcards).items() if key != "languages"
        },
        languages=lambda wildcards: config["encoders"][wildcards.encoder]["languages"],
        seed=config["seed"],
        checkpoint="results/checkpoints/encoders/{encoder}",
    script:
        "../scripts/align_encoder.py"
