"""Make one table of a paper: our numbers in its layout, and a comparison with the published ones."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.results.pages import Heading, write_comparison_page
from xstitch.results.resampled_scores import Predicted, with_resamples
from xstitch.results.resampled_tables import write_resamples
from xstitch.results.scores import read_scores
from xstitch.results.tables import fill_grid, read_reference, write_comparison, write_table

with job(snakemake):
    spec, scale, seed = (getattr(snakemake.params, name) for name in ("spec", "scale", "seed"))
    published = read_reference(snakemake.input.reference, snakemake.params.number)
    scores = [score for file in snakemake.input.scores for score in read_scores(file)]
    predicted = (  # read one by one: together they may take a gigabyte
        Predicted(cell["recipe"], cell["task"], read_table(file), cell["labels"], cell["chain"])
        for cell, file in zip(snakemake.params.predicted, snakemake.input.predictions, strict=True)
    )
    grid = fill_grid(spec, published, with_resamples(scores, predicted, seed), snakemake.params.source)
    write_table(spec, grid, snakemake.output.table)
    write_comparison(spec, grid, scale, snakemake.output.comparison, seed)
    write_resamples(grid, scale, snakemake.output.resamples, seed)
    made = snakemake.output
    write_comparison_page(Heading(**snakemake.params.heading), made.table, made.comparison, made.page)
