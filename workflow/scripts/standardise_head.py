"""Standardise the features of a stitched model by unlabelled texts of its language."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import stream_column
from xstitch.models.standardising import standardise_head

with job(snakemake):
    standardise_head(
        Path(snakemake.input.model),
        list(stream_column(Path(snakemake.input.texts), "text")),
        Path(snakemake.input.source_model),
        snakemake.params.max_length,
        Path(snakemake.output.folder),
    )
