"""Swap the target language's adapter into a model fine-tuned with the source language's."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.models.swapping import swap_adapter

with job(snakemake):
    swap_adapter(Path(snakemake.input.model), Path(snakemake.input.adapter), Path(snakemake.output.folder))
