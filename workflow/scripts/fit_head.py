"""Fit a head to the states of an encoder that stays as it is."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.models.frozen import fit_head
from xstitch.models.settings.frozen import FrozenSettings

with job(snakemake):
    train, dev = (read_table(file).to_pandas() for file in (snakemake.input.train, snakemake.input.dev))
    fit_head(
        Path(snakemake.input.encoder),
        train,
        dev if len(dev) else None,
        snakemake.params.labels,
        FrozenSettings(**snakemake.params.head),
        snakemake.params.max_length,
        Path(snakemake.output.folder),
    )
