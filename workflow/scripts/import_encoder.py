"""Copy an encoder from the user's folder or an installed package: a complete folder, without code."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.sources.fetch.model_folders import import_model

with job(snakemake):
    import_model(map(Path, snakemake.input.files), Path(snakemake.output.folder))
