"""Convert word vectors once, from any common format to npz."""

from xstitch.core.job import job
from xstitch.vectors.formats.read import read_vectors

with job(snakemake):
    vectors = read_vectors(snakemake.input.file, snakemake.params.limit)
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} words")
