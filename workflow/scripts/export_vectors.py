"""Write word vectors as word2vec text, for other programs."""

from xstitch.core.job import job
from xstitch.vectors.formats.text import write_text_vectors
from xstitch.vectors.table import Vectors

with job(snakemake):
    vectors = Vectors.load(snakemake.input.vectors)
    write_text_vectors(vectors, snakemake.output.text)
    print(f"{len(vectors.words):,} words")
