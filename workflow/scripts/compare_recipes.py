"""Compare recipes with a baseline on the same test items, with confidence intervals."""

from itertools import product

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.core.tsv import write_records
from xstitch.results.comparisons import compare_recipes
from xstitch.results.pages import Heading, write_list_page

with job(snakemake):
    spec = snakemake.params.spec
    recipes = [row["recipe"] for row in spec["rows"]]
    predictions = {recipe: {} for recipe in recipes}
    cells = product(snakemake.params.chains, recipes)
    for (chain, recipe), file in zip(cells, snakemake.input.predictions, strict=True):
        predictions[recipe][chain] = read_table(file)
    names = {row["recipe"]: row["row"] for row in spec["rows"]}
    records = compare_recipes(
        predictions,
        spec["baseline"],
        names,
        snakemake.params.labels,
        snakemake.params.seed,
        snakemake.params.source,
    )
    write_records(({**record, "scale": snakemake.params.scale} for record in records), snakemake.output.table)
    write_list_page(Heading(**snakemake.params.heading), snakemake.output.table, snakemake.output.page)
