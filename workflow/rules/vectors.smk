"""Static vectors: trained, distilled, imported from a file, or taken from an alignment.

INPUTS   corpus = results/corpora/{corpus}/{lang}.parquet, file = resources/..., encoder = results/encoders/{encoder}/
OUTPUTS  vectors = results/vectors/{vectors}/{lang}.npz; for other programs text = ....vec, keyed = ....kv
"""


rule train_vectors:
    """Train fastText or word2vec vectors on a corpus."""
    input:
        corpus=planned(source_inputs.vectors_corpus),
    output:
        vectors="{chain}results/vectors/{vectors}/{lang}.npz",
    log:
        "{chain}logs/train_vectors/{vectors}/{lang}.log",
    benchmark:
        "{chain}benchmarks/train_vectors/{vectors}/{lang}.tsv"
    wildcard_constraints:
        vectors=names("vectors", origin=["train"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("train_vectors.py"),
        vectors=entry("vectors"),
        seed=planned(chains.job_seed),
    script:
        "../scripts/train_vectors.py"


rule import_vectors:
    """Convert word vectors once, from any common format to npz."""
    input:
        file=planned(source_inputs.vectors_input),
    output:
        vectors="{chain}results/vectors/{vectors}/{lang}.npz",
    log:
        "{chain}logs/import_vectors/{vectors}/{lang}.log",
    benchmark:
        "{chain}benchmarks/import_vectors/{vectors}/{lang}.tsv"
    wildcard_constraints:
        vectors=names("vectors", origin=["import"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("import_vectors.py"),
        limit=entry("vectors", "limit"),
    script:
        "../scripts/import_vectors.py"


rule distill_vectors:
    """Distill static vectors from an encoder on a corpus."""
    input:
        corpus=planned(source_inputs.vectors_corpus),
        encoder=planned(source_inputs.distilled_encoder),
    output:
        vectors="{chain}results/vectors/{vectors}/{lang}.npz",
    log:
        "{chain}logs/distill_vectors/{vectors}/{lang}.log",
    benchmark:
        "{chain}benchmarks/distill_vectors/{vectors}/{lang}.tsv"
    wildcard_constraints:
        vectors=names("vectors", origin=["distill"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("distill_vectors.py"),
        vectors=planned(source_inputs.distilling_settings),
        seed=planned(chains.job_seed),
        checkpoint="{chain}results/checkpoints/vectors/{vectors}/{lang}",
    script:
        "../scripts/distill_vectors.py"


rule take_aligned_vectors:
    """Save the target side of an alignment as vectors."""
    input:
        unpack(planned(source_inputs.taken_alignment)),
    output:
        vectors="{chain}results/vectors/{vectors}/{lang}.npz",
    log:
        "{chain}logs/take_aligned_vectors/{vectors}/{lang}.log",
    wildcard_constraints:
        vectors=names("vectors", origin=["aligned"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("take_aligned_vectors.py"),
    script:
        "../scripts/take_aligned_vectors.py"


rule export_vectors:
    """Write word vectors as word2vec text, for other programs."""
    input:
        vectors="{chain}results/vectors/{vectors}/{lang}.npz",
    output:
        text="{chain}results/vectors/{vectors}/{lang}.vec",
    log:
        "{chain}logs/export_vectors/{vectors}/{lang}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("export_vectors.py"),
    script:
        "../scripts/export_vectors.py"


rule export_keyed_vectors:
    """Write word vectors as gensim KeyedVectors."""
    input:
        vectors="{chain}results/vectors/{vectors}/{lang}.npz",
    output:
        keyed="{chain}results/vectors/{vectors}/{lang}.kv",
    log:
        "{chain}logs/export_keyed_vectors/{vectors}/{lang}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("export_keyed_vectors.py"),
    script:
        "../scripts/export_keyed_vectors.py"
