"""Download a model of the hub: pinned, safetensors only, a complete folder."""

from pathlib import Path

from xstitch.download import fetch_model
from xstitch.job import job
from xstitch.transfer import Token

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
