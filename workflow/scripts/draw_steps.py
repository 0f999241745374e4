"""Draw what an alignment logged at every step."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.results.figures import draw_log, save

with job(snakemake):
    wildcards = snakemake.wildcards
    title = (
        f"{wildcards.recipe} on {wildcards.task}, {wildcards.src} to {wildcards.tgt}, seed {wildcards.seed}"
    )
    log = read_table(snakemake.input.steps).to_pandas()
    save(draw_log(log, f"{title} (scale: {snakemake.params.scale})"), snakemake.output.figure)
