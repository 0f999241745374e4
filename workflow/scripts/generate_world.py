"""Generate the mini world as a mirror of upstream files."""

from pathlib import Path

from xstitch.job import job
from xstitch.world import WorldSettings, write_world

with job(snakemake):
    write_world(Path(snakemake.params.root), WorldSettings.from_config(snakemake.params.world))
