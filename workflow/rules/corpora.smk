"""Corpora: tokenised sentences sampled from plain text.

INPUTS   text = resources/cc100/{version}/first-BYTES/{lang}.txt.xz (column cc100 of languages.tsv may rename it), or
         a file of the user
OUTPUTS  corpus = results/corpora/{corpus}/{lang}.parquet
"""


rule sample_corpus:
    """Sample tokenised sentences from a corpus in CC100's layout."""
    input:
        text=planned(source_inputs.corpus_input),
    output:
        corpus="{chain}results/corpora/{corpus}/{lang}.parquet",
    log:
        "{chain}logs/sample_corpus/{corpus}/{lang}.log",
    benchmark:
        "{chain}benchmarks/sample_corpus/{corpus}/{lang}.tsv"
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("sample_corpus.py"),
        corpus=planned(source_inputs.sampling_settings),
        tokenizer=planned(segmentation.corpus_tool),
        language="{lang}",
        model=planned(segmentation.udpipe_model),
        seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/corpora/{corpus}/{lang}",
    script:
        "../scripts/sample_corpus.py"
