"""Draw how alike the gradients of alignment losses and of a task are over a fine-tuning."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.core.tsv import write_records
from xstitch.results.figures import save
from xstitch.results.gradient_figure import draw_gradients
from xstitch.results.gradients import gradient_points, point_records

with job(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    runs = {
        (chain, seed): read_table(file).to_pandas()
        for (chain, seed), file in zip(params.runs, snakemake.input.measured, strict=True)
    }
    points = gradient_points(runs, params.seed)
    place = {"recipe": wildcards.recipe, "task": wildcards.task, "scale": params.scale}
    write_records(point_records(points, place), snakemake.output.data)
    title = f"Gradients of alignment losses and of the task: {wildcards.recipe} on {wildcards.task}"
    save(draw_gradients(points, f"{title} (scale: {params.scale})"), snakemake.output.figure)
