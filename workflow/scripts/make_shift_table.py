"""Make a table of what a paper's text says about shifts: our numbers, and a comparison with the published."""

from xstitch.core.job import job
from xstitch.results.pages import Heading, write_comparison_page
from xstitch.results.resampled_scores import with_resamples
from xstitch.results.resampled_tables import write_resamples
from xstitch.results.shift_data import corrections, decreases
from xstitch.results.tables import fill_grid, read_reference, write_comparison, write_table

with job(snakemake):
    spec, scale, source = (getattr(snakemake.params, name) for name in ("spec", "scale", "source"))
    fields = {"src": source, "split": spec["split"], "scale": scale}
    if spec["kind"] == "decreases":
        scores = decreases(snakemake.params.cases, spec["baseline"], **fields)
    else:
        scores = corrections(snakemake.params.cases, **fields)
    published = read_reference(snakemake.input.reference, snakemake.params.number)
    seed = snakemake.params.seed
    grid = fill_grid(spec, published, with_resamples(scores, [], seed), source)
    write_table(spec, grid, snakemake.output.table)
    write_comparison(spec, grid, scale, snakemake.output.comparison, seed)
    write_resamples(grid, scale, snakemake.output.resamples, seed)
    made = snakemake.output
    write_comparison_page(Heading(**snakemake.params.heading), made.table, made.comparison, made.page)
