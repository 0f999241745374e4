"""Read downloaded word vectors once, from text to npz."""

from xstitch.job import job
from xstitch.vectors import read_text_vectors

with job(snakemake):
    vectors = read_text_vectors(snakemake.input.file, snakemake.params.limit)
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} words")
