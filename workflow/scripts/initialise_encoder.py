"""Make a small vision transformer with random weights, for the mini world."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.encoders.images import initialise_vit

with job(snakemake):
    settings = {key: value for key, value in snakemake.params.encoder.items() if key != "origin"}
    initialise_vit(settings, snakemake.params.seed, Path(snakemake.output.folder))
