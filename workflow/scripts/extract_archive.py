"""Unpack one member of a downloaded archive."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.sources.fetch.archives import extract_member

with job(snakemake):
    extract_member(
        Path(snakemake.input.archive),
        snakemake.params.member,
        Path(snakemake.output.file),
    )
