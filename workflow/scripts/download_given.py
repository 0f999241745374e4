"""Download a file whose address is in the configuration."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.sources.fetch.download import fetch
from xstitch.sources.fetch.http import Token

with job(snakemake):
    fetch(
        snakemake.params.url,
        Path(snakemake.output.file),
        mirror=snakemake.config["mirror"],
        lock=Path(snakemake.config["lock"]),
        token=Token("HF_TOKEN"),
    )
