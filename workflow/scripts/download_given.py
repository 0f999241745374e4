"""Download a file that the configuration names by its address."""

from pathlib import Path

from xstitch.download import fetch
from xstitch.job import job
from xstitch.transfer import Token

with job(snakemake):
    fetch(
        snakemake.params.url,
        Path(snakemake.output.file),
        mirror=snakemake.config["mirror"],
        lock=Path(snakemake.config["lock"]),
        token=Token("HF_TOKEN"),
    )
