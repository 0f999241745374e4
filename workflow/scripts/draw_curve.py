"""Draw scores against what recipes were given, with the numbers and where one overtakes another."""

from itertools import product

from xstitch.core.job import job
from xstitch.core.parquet import count_rows, read_table
from xstitch.core.tsv import write_records, write_tsv
from xstitch.results.curve_figure import draw_curve
from xstitch.results.curves import CROSSINGS, counted, crossing_records, curve_points, point_records
from xstitch.results.figures import save

with job(snakemake):
    params, spec = snakemake.params, snakemake.params.spec
    predictions = {row["recipe"]: {} for row in spec["rows"]}
    cells = product(params.chains, [row["recipe"] for row in spec["rows"]])
    for (chain, recipe), file in zip(cells, snakemake.input.predictions, strict=True):
        predictions[recipe][chain] = read_table(file)
    counts = [count_rows(file) for file in snakemake.input.counted]
    amounts = counted(params.amounts, counts, len(params.chains))
    points = curve_points(spec["rows"], predictions, amounts, params.labels, params.seed)
    curve = snakemake.wildcards.curve
    write_records(point_records(points, curve, params.scale), snakemake.output.data)
    crossings = crossing_records(points, spec["crossings"], curve, params.scale)
    write_tsv(snakemake.output.crossings, CROSSINGS, (row.values() for row in crossings))
    save(
        draw_curve(points, spec["axis"], f"{spec['title']} (scale: {params.scale})"), snakemake.output.figure
    )
