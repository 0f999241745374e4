"""Corpora: plain text sampled to tokenised sentences.

INPUTS   text = resources/cc100/{version}/{lang}.txt.xz (column cc100 of languages.tsv may rename it), or a
         file of the user's own
OUTPUTS  corpus = results/corpora/{corpus}/{lang}.parquet
"""


rule sample_corpus:
    input:
        text=corpus_input,
    output:
        corpus="results/corpora/{corpus}/{lang}.parquet",
    log:
        "logs/sample_corpus/{corpus}/{lang}.log",
    benchmark:
        "benchmarks/sample_corpus/{corpus}/{lang}.tsv"
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=240,
    params:
        library=library("sample_corpus.py"),
        corpus=lambda wildcards: {
            key: value for key, value in config["corpora"][wildcards.corpus].items() if key != "files"
        },
        tokenizer=lambda wildcards: LANGUAGES[wildcards.lang]["tokenizer"],
        language="{lang}",
        model=udpipe_model,
        seed=config["seed"],
        checkpoint="results/checkpoints/corpora/{corpus}/{lang}",
    script:
        "../scripts/sample_corpus.py"
