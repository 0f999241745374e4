"""Fit the head of a frozen model once more, with the help of unlabelled texts of the target language."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table, stream_column
from xstitch.models.refitting import refit_head
from xstitch.models.settings.frozen import RefitSettings

with job(snakemake):
    refit_head(
        Path(snakemake.input.model),
        Path(snakemake.input.source_model),
        read_table(snakemake.input.train).to_pandas(),
        list(stream_column(Path(snakemake.input.texts), "text")),
        snakemake.params.labels,
        RefitSettings(**snakemake.params.refit),
        snakemake.params.max_length,
        Path(snakemake.output.folder),
    )
