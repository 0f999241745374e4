"""Write word vectors as KeyedVectors of gensim."""

from xstitch.job import job
from xstitch.keyed_vectors import write_keyed_vectors
from xstitch.vectors import Vectors

with job(snakemake):
    vectors = Vectors.load(snakemake.input.vectors)
    write_keyed_vectors(vectors, snakemake.output.keyed)
    print(f"{len(vectors.words):,} words")
