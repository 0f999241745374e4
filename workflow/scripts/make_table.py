"""Make one table of a paper: our numbers in its layout, and a comparison with the published ones."""

from xstitch.core.job import job
from xstitch.results.scores import read_scores
from xstitch.results.tables import fill_grid, read_reference, write_comparison, write_table

with job(snakemake):
    spec, scale = snakemake.params.spec, snakemake.params.scale
    published = read_reference(snakemake.input.reference, snakemake.params.number)
    scores = [score for file in snakemake.input.scores for score in read_scores(file)]
    grid = fill_grid(spec, published, scores, snakemake.params.source)
    write_table(spec, grid, snakemake.output.table)
    write_comparison(spec, grid, scale, snakemake.output.comparison)
