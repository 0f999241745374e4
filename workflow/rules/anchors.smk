"""Anchors: the lexicon pairs that both embedding vocabularies hold.

INPUTS   lexicon = results/lexica/{lexicon}/{src}-{tgt}.parquet, source = results/vectors/{encoder}/{src}.npz,
         encoder = results/encoders/{encoder}/, target = results/vectors/{vectors}/{tgt}.npz
OUTPUTS  anchors = results/anchors/{anchors}/{encoder}/{src}-{tgt}.parquet
"""


rule build_anchors:
    input:
        unpack(anchors_input),
    output:
        anchors="results/anchors/{anchors}/{encoder}/{src}-{tgt}.parquet",
    log:
        "logs/build_anchors/{anchors}/{encoder}/{src}-{tgt}.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=20,
    params:
        library=library("build_anchors.py"),
        anchors=lambda wildcards: config["anchors"][wildcards.anchors],
        seed=config["seed"],
    script:
        "../scripts/build_anchors.py"
