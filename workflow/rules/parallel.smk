"""Parallel sentences: pairs of a language and the source, sampled from OPUS or the user's files.

INPUTS   Moses files = resources/opus/...
OUTPUTS  pairs = results/parallel/{parallel}/{lang}.parquet, counts = ....counts.tsv;
         links = results/links/{encoder}/{lang}.npz, the words of these pairs that an encoder's L2 loss compares
"""


rule import_parallel:
    """Sample sentence pairs from Moses files, put spaces between their words, and count the pairs."""
    input:
        planned(source_inputs.parallel_input),
    output:
        pairs="{chain}results/parallel/{parallel}/{lang}.parquet",
        counts="{chain}results/parallel/{parallel}/{lang}.counts.tsv",
    log:
        "{chain}logs/import_parallel/{parallel}/{lang}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("import_parallel.py"),
        source=RUN.source,
        corpora=planned(source_inputs.parallel_corpora),
        pairs=entry("parallel", "pairs"),
        words=entry("parallel", "words"),
        tokenizers=planned(source_inputs.parallel_tokenizers),
        seed=planned(chains.job_seed),
    script:
        "../scripts/import_parallel.py"


rule link_words:
    """Link the words of parallel sentences."""
    input:
        parallel=planned(encoder_inputs.linked_pairs),
    output:
        links="{chain}results/links/{encoder}/{lang}.npz",
    log:
        "{chain}logs/link_words/{encoder}/{lang}.log",
    benchmark:
        "{chain}benchmarks/link_words/{encoder}/{lang}.tsv"
    wildcard_constraints:
        encoder=names("encoders", origin=["align"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("link_words.py"),
        max_words=planned(encoder_inputs.longest_linked),
    script:
        "../scripts/link_words.py"
