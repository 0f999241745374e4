"""Generate the mini world as a mirror of upstream files."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.sources.world.mirror import write_world
from xstitch.sources.world.settings import WorldSettings

with job(snakemake):
    write_world(Path(snakemake.output.lock).parent, WorldSettings.from_config(snakemake.params.world))
