"""Encoders: pre-trained here on corpora, random, or taken from a folder; download.smk has the downloaded ones.
Some start from another one: pre-trained further (x2s), or aligned with parallel sentences (wordot).

INPUTS   corpora = results/corpora/{corpus}/{lang}.parquet; files of a transformers folder;
         encoder = results/encoders/{base}/, words = results/vectors/{vectors}/{lang}.npz,
         aligned = results/aligned/{alignment}/{src}-{tgt}.npz, parallel = results/parallel/{parallel}/{lang}.parquet,
         links = results/links/{encoder}/{lang}.npz
OUTPUTS  folder = results/encoders/{encoder}/, vectors = results/encoders/{encoder}.input.npz, its input table
"""


localrules:
    import_encoder,


rule pretrain_encoder:
    """Pre-train a small encoder on corpora by masked language modelling."""
    input:
        corpora=planned(encoder_inputs.encoder_corpora),
    output:
        folder=directory("{chain}results/encoders/{encoder}"),
    log:
        "{chain}logs/pretrain_encoder/{encoder}.log",
    benchmark:
        "{chain}benchmarks/pretrain_encoder/{encoder}.tsv"
    wildcard_constraints:
        encoder=names("encoders", origin=["pretrain"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("pretrain_encoder.py"),
        encoder=entry("encoder"),
        seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/encoders/{encoder}",
    script:
        "../scripts/pretrain_encoder.py"


rule import_encoder:
    """Copy an encoder from the user's folder or an installed package: a complete folder, without code."""
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
    """Make a small vision transformer with random weights, for the mini world."""
    output:
        folder=directory("{chain}results/encoders/{encoder}"),
    log:
        "{chain}logs/initialise_encoder/{encoder}.log",
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
        seed=planned(chains.job_seed),
    script:
        "../scripts/initialise_encoder.py"


rule continue_encoder:
    """Continue pre-training an encoder, optionally with a loss that ties its words to aligned vectors."""
    input:
        unpack(planned(encoder_inputs.continuation_input)),
    output:
        folder=directory("{chain}results/encoders/{encoder}"),
    log:
        "{chain}logs/continue_encoder/{encoder}.log",
    benchmark:
        "{chain}benchmarks/continue_encoder/{encoder}.tsv"
    wildcard_constraints:
        encoder=names("encoders", origin=["continue"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("continue_encoder.py"),
        encoder=planned(encoder_inputs.later_training_settings),
        source=RUN.source,
        targets=planned(encoder_inputs.tied_languages),
        seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/encoders/{encoder}",
    script:
        "../scripts/continue_encoder.py"


rule align_encoder:
    """Align the languages of an encoder with parallel sentences."""
    input:
        unpack(planned(encoder_inputs.aligning_input)),
    output:
        folder=directory("{chain}results/encoders/{encoder}"),
    log:
        "{chain}logs/align_encoder/{encoder}.log",
    benchmark:
        "{chain}benchmarks/align_encoder/{encoder}.tsv"
    wildcard_constraints:
        encoder=names("encoders", origin=["align"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("align_encoder.py"),
        encoder=planned(encoder_inputs.aligning_settings),
        languages=entry("encoder", "languages"),
        seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/encoders/{encoder}",
    script:
        "../scripts/align_encoder.py"


rule import_encoder_vectors:
    """Take the input embeddings of an encoder as static vectors of its tokens."""
    input:
        encoder=planned(encoder_inputs.named_encoder),
    output:
        vectors="{chain}results/encoders/{encoder}.input.npz",
    log:
        "{chain}logs/import_encoder_vectors/{encoder}.log",
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("import_encoder_vectors.py"),
    script:
        "../scripts/import_encoder_vectors.py"
