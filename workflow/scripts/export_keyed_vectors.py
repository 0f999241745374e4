"""Write word vectors as gensim KeyedVectors."""

from xstitch.core.job import job
from xstitch.vectors.formats.gensim import write_keyed_vectors
from xstitch.vectors.table import Vectors

with job(snakemake):
    vectors = Vectors.load(snakemake.input.vectors)
    write_keyed_vectors(vectors, snakemake.output.keyed)
    print(f"{len(vectors.words):,} words")
