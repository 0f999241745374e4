"""Encoders that go on from another one: pre-trained further (x2s), or aligned by parallel sentences (wordot).

INPUTS   encoder = results/encoders/{base}/, corpora = results/corpora/{corpus}/{lang}.parquet,
         words = results/vectors/{vectors}/{lang}.npz, aligned = results/aligned/{alignment}/{src}-{tgt}.npz,
         Moses files = resources/opus/..., pairs = results/parallel/{parallel}/{lang}.parquet
OUTPUTS  folder = results/encoders/{encoder}/, pairs = results/parallel/{parallel}/{lang}.parquet
"""


rule adapt_encoder:
    input:
        unpack(planned(encoder_inputs.adaptation_input)),
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
    resources:
        mem_mb=16000,
        runtime=1440,
        gpu=1,
    params:
        library=library("adapt_encoder.py"),
        encoder=planned(encoder_inputs.later_training_settings),
        source=RUN.source,
        targets=planned(encoder_inputs.tied_languages),
        seed=config["seed"],
        checkpoint="results/checkpoints/encoders/{encoder}",
    script:
        "../scripts/adapt_encoder.py"


rule import_parallel:
    input:
        planned(source_inputs.parallel_input),
    output:
        pairs="results/parallel/{parallel}/{lang}.parquet",
        counts="results/parallel/{parallel}/{lang}.counts.tsv",
    log:
        "logs/import_parallel/{parallel}/{lang}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        library=library("import_parallel.py"),
        source=RUN.source,
        corpora=planned(source_inputs.parallel_corpora),
        pairs=entry("parallel", "pairs"),
        tokenizers=planned(source_inputs.parallel_tokenizers),
        seed=config["seed"],
    script:
        "../scripts/import_parallel.py"


rule align_encoder:
    input:
        encoder=planned(encoder_inputs.base_encoder),
        parallel=planned(encoder_inputs.encoder_parallel),
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
    resources:
        mem_mb=16000,
        runtime=1440,
        gpu=1,
    params:
        library=library("align_encoder.py"),
        encoder=planned(encoder_inputs.aligning_settings),
        languages=entry("encoder", "languages"),
        seed=config["seed"],
        checkpoint="results/checkpoints/encoders/{encoder}",
    script:
        "../scripts/align_encoder.py"
