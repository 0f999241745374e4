"""Take the input embeddings of an encoder as static vectors of its tokens."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.encoders.input_table import input_vectors

with job(snakemake):
    vectors = input_vectors(Path(snakemake.input.encoder))
    vectors.save(snakemake.output.vectors)
    print(f"{len(vectors.words):,} tokens")
