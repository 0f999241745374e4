"""Alignment: the vectors of two languages in one space, by VecMap, Procrustes or RCSLS.

INPUTS   source, target = results/vectors/{vectors}/{lang}.npz, dictionary = a lexicon, or another alignment's
OUTPUTS  aligned = results/aligned/{alignment}/{src}-{tgt}.npz, dictionary = ....dictionary.parquet,
         history = ....history.parquet; scores = results/scores/{alignment}/{bli,similarity}/{src}.tsv
"""


rule align_vectors:
    """Align the vectors of two languages."""
    input:
        unpack(planned(space_inputs.alignment_input)),
    output:
        aligned="{chain}results/aligned/{alignment}/{src}-{tgt}.npz",
        dictionary="{chain}results/aligned/{alignment}/{src}-{tgt}.dictionary.parquet",
        history="{chain}results/aligned/{alignment}/{src}-{tgt}.history.parquet",
    log:
        "{chain}logs/align_vectors/{alignment}/{src}-{tgt}.log",
    benchmark:
        "{chain}benchmarks/align_vectors/{alignment}/{src}-{tgt}.tsv"
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("align_vectors.py"),
        alignment=planned(space_inputs.alignment_settings),
        seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/aligned/{alignment}/{src}-{tgt}",
    script:
        "../scripts/align_vectors.py"


rule measure_translation:
    """Score an alignment by bilingual lexicon induction, in both directions for every target language."""
    input:
        unpack(planned(space_inputs.translation_input)),
    output:
        scores="{chain}results/scores/{alignment}/bli/{src}.tsv",
    log:
        "{chain}logs/measure_translation/{alignment}/{src}.log",
    benchmark:
        "{chain}benchmarks/measure_translation/{alignment}/{src}.tsv"
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("measure_translation.py"),
        chain=planned(chains.job_chain_name),
        targets=planned(space_inputs.translation_targets),
        scale=config["scale"],
    script:
        "../scripts/measure_translation.py"


rule measure_similarity:
    """Score an alignment by word similarity, within every language and between any two."""
    input:
        unpack(planned(space_inputs.similarity_input)),
    output:
        scores="{chain}results/scores/{alignment}/similarity/{src}.tsv",
    log:
        "{chain}logs/measure_similarity/{alignment}/{src}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("measure_similarity.py"),
        chain=planned(chains.job_chain_name),
        targets=planned(space_inputs.similarity_targets),
        languages=planned(space_inputs.similarity_languages),
        scale=config["scale"],
    script:
        "../scripts/measure_similarity.py"
