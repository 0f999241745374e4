"""Generate the mini world as a mirror of upstream files."""

from pathlib import Path

from xstitch.job import job
from xstitch.world import WorldSettings, write_world

with job(snakemake):
    write_world(Path(snakemake.output.lock).parent, WorldSettings.from_config(snakemake.params.world))
