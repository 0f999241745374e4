"""Parallel sentences: pairs of a language and the source, sampled from OPUS or the user's files.

INPUTS   Moses files = resources/opus/...
OUTPUTS  pairs = results/parallel/{parallel}/{lang}.parquet, counts = ....counts.tsv
"""


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
        words=entry("parallel", "words"),
        tokenizers=planned(source_inputs.parallel_tokenizers),
        seed=config["seed"],
    script:
        "../scripts/import_parallel.py"
