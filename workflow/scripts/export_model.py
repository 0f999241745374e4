"""Copy a model into a folder to give away, with a card that says what is known about it."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.results.exported import export_model

with job(snakemake):
    inputs, outputs = snakemake.input, snakemake.output
    export_model(Path(inputs.model), outputs, snakemake.params.facts, inputs, snakemake.params.seed)
