"""Take the input embeddings of an encoder as static vectors of its tokens."""

from pathlib import Path

from xstitch.embeddings import input_vectors
from xstitch.job import job

with job(snakemake):
    vectors = input_vectors(Path(snakemake.input.encoder))
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} tokens")
