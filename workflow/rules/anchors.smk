"""Anchors: the lexicon pairs whose words are in both embedding vocabularies.

INPUTS   lexicon = results/lexica/{lexicon}/{src}-{tgt}.parquet, source = results/encoders/{encoder}.input.npz,
         encoder = results/encoders/{encoder}/, target = results/vectors/{vectors}/{tgt}.npz
OUTPUTS  anchors = results/anchors/{anchors}/{encoder}/{src}-{tgt}.parquet,
         scores = results/scores/{recipe}/anchors/{src}.tsv, results/scores/{recipe}/{task}/{src}.tsv
"""


rule build_anchors:
    """Choose the parallel anchors of a language pair."""
    input:
        unpack(planned(space_inputs.anchors_input)),
    output:
        anchors="{chain}results/anchors/{anchors}/{encoder}/{src}-{tgt}.parquet",
    log:
        "{chain}logs/build_anchors/{anchors}/{encoder}/{src}-{tgt}.log",
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("build_anchors.py"),
        anchors=entry("anchors"),
        seed=planned(chains.job_seed),
    script:
        "../scripts/build_anchors.py"


rule measure_anchors:
    """Count the anchors that a recipe has in every target language."""
    input:
        anchors=planned(space_inputs.counted_anchors),
    output:
        scores="{chain}results/scores/{recipe}/anchors/{src}.tsv",
    log:
        "{chain}logs/measure_anchors/{recipe}/{src}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["stitch"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("measure_anchors.py"),
        chain=planned(chains.job_chain_name),
        targets=planned(space_inputs.counted_targets),
        scale=config["scale"],
    script:
        "../scripts/measure_anchors.py"


rule measure_pairs:
    """Measure how many of the pairs that were found for a recipe's anchors are right by another lexicon."""
    input:
        unpack(planned(space_inputs.judged_lexica)),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
    log:
        "{chain}logs/measure_pairs/{recipe}/{task}/{src}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["stitch"]),
        task=names("tasks", kind=["pairs"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        library=library("measure_pairs.py"),
        chain=planned(chains.job_chain_name),
        targets=planned(space_inputs.judged_targets),
        seeds=planned(space_inputs.judged_seeds),
        scale=config["scale"],
    script:
        "../scripts/measure_pairs.py"
