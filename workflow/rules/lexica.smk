"""Lexica: word pairs with scores, whatever file they came in.

INPUTS   file = a MUSE dictionary, the PanLex Lite database or a user's TSV
OUTPUTS  lexicon = results/lexica/{lexicon}/{src}-{tgt}.parquet
"""


rule import_lexicon:
    input:
        file=lexicon_input,
    output:
        lexicon="results/lexica/{lexicon}/{src}-{tgt}.parquet",
    log:
        "logs/import_lexicon/{lexicon}/{src}-{tgt}.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        library=library("import_lexicon.py"),
        reader=lambda wildcards: config["lexica"][wildcards.lexicon]["reader"],
        source=lambda wildcards: LANGUAGES[wildcards.src]["panlex"],
        target=lambda wildcards: LANGUAGES[wildcards.tgt]["panlex"],
    script:
        "../scripts/import_lexicon.py"
