"""Encode the texts of all splits of a task in one language."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.encoders.texts import encode_texts

with job(snakemake):
    encoder, params = Path(snakemake.input.encoder), snakemake.params
    for texts, vectors in zip(snakemake.input.texts, snakemake.output, strict=True):
        encode_texts(Path(texts), encoder, params.max_length, pooling=params.pooling).save(vectors)
