"""Download a model from the hub: a pinned revision, safetensors only, as a complete folder."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.sources.fetch.download import fetch_model
from xstitch.sources.fetch.http import Token

with job(snakemake):
    fetch_model(
        snakemake.params.repo,
        snakemake.params.revision,
        snakemake.params.files,
        Path(snakemake.output.folder),
        mirror=snakemake.config["mirror"],
        lock=Path(snakemake.config["lock"]),
        token=Token("HF_TOKEN"),
    )
