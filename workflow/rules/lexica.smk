"""Lexica: word pairs with scores, from any format.

INPUTS   file = a MUSE dictionary, the PanLex Lite database, PanLex's Swadesh lists or a user's TSV;
         source, target = the hub's files of PanLex meanings for two languages
OUTPUTS  lexicon = results/lexica/{lexicon}/{src}-{tgt}.parquet, history = ....history.parquet for induced ones
"""


rule import_lexicon:
    """Read a bilingual lexicon in any format into a table of pairs with scores."""
    input:
        unpack(planned(source_inputs.lexicon_input)),
    output:
        lexicon="{chain}results/lexica/{lexicon}/{src}-{tgt}.parquet",
    log:
        "{chain}logs/import_lexicon/{lexicon}/{src}-{tgt}.log",
    wildcard_constraints:
        lexicon=names(
            "lexica",
            kind=["muse", "muse-train", "tsv", "panlex-lite", "panlex-meanings", "panlex-swadesh"],
        ),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        library=library("import_lexicon.py"),
        lexicon=entry("lexicon"),
        source=entry("src", "panlex"),
        target=entry("tgt", "panlex"),
    script:
        "../scripts/import_lexicon.py"


rule combine_lexica:
    """Make a lexicon from others: their union, or a chain of two through a third language."""
    input:
        lexica=planned(source_inputs.combined_lexicon_input),
    output:
        lexicon="{chain}results/lexica/{lexicon}/{src}-{tgt}.parquet",
    log:
        "{chain}logs/combine_lexica/{lexicon}/{src}-{tgt}.log",
    wildcard_constraints:
        lexicon=names("lexica", kind=["union", "pivot"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        library=library("combine_lexica.py"),
        lexicon=entry("lexicon"),
    script:
        "../scripts/combine_lexica.py"


rule induce_lexicon:
    """Induce a lexicon from a few pairs of another: bootstrapped anchors between two languages."""
    input:
        unpack(planned(source_inputs.induced_lexicon_input)),
    output:
        lexicon="{chain}results/lexica/{lexicon}/{src}-{tgt}.parquet",
        history="{chain}results/lexica/{lexicon}/{src}-{tgt}.history.parquet",
    log:
        "{chain}logs/induce_lexicon/{lexicon}/{src}-{tgt}.log",
    benchmark:
        "{chain}benchmarks/induce_lexicon/{lexicon}/{src}-{tgt}.tsv"
    wildcard_constraints:
        lexicon=names("lexica", kind=["bootstrap"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("induce_lexicon.py"),
        lexicon=entry("lexicon"),
        seed=planned(chains.job_seed),
    script:
        "../scripts/induce_lexicon.py"
