"""Read downloaded word vectors once, from any common format to npz."""

from xstitch.job import job
from xstitch.vector_files import read_vectors

with job(snakemake):
    vectors = read_vectors(snakemake.input.file, snakemake.params.limit)
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} words")
