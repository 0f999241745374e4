"""Standardise the features of a stitched model by unlabelled texts of its language."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import stream_column
from xstitch.models.standardising import standardise_head

with job(snakemake):
    files = snakemake.input
    texts, source_texts = (
        list(stream_column(Path(file), "text")) for file in (files.texts, files.source_texts)
    )
    standardise_head(
        Path(files.model),
        texts,
        Path(files.source_model),
        source_texts,
        snakemake.params.max_length,
        Path(snakemake.output.folder),
    )
