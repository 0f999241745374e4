"""Draw what an alignment logged at every step."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.results.figures import draw_log, save

with job(snakemake):
    place = snakemake.wildcards
    title = f"{place.recipe} on {place.task}, {place.src} to {place.tgt}, seed {place.seed}"
    log = read_table(snakemake.input.steps).to_pandas()
    save(draw_log(log, f"{title} (scale: {snakemake.params.scale})"), snakemake.output.figure)
