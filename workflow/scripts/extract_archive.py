"""Unpack one member of a downloaded archive."""

from pathlib import Path

from xstitch.archives import extract_member
from xstitch.job import job

with job(snakemake):
    extract_member(
        Path(snakemake.input.archive),
        snakemake.params.member,
        Path(snakemake.output.file),
    )
