"""Score the models that a recipe stitches, before it does, in their own language."""

from pathlib import Path

import pyarrow as pa

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.models.heads.registry import load_head
from xstitch.results.scores import as_scores, predictions_table, write_scores

with job(snakemake):
    head, settings = load_head(snakemake.params.rows), snakemake.params.settings
    rows, wildcards = read_table(snakemake.input.test), snakemake.wildcards
    truth = {"id": rows["id"].to_pylist(), "label": head.truth(rows)}
    scores, predictions = [], []
    for seed, model in zip(snakemake.params.seeds, snakemake.input.models, strict=True):
        predicted = head.predict(Path(model), rows, settings)
        predictions.append(predictions_table(wildcards.src, seed, truth, predicted))
        columns = {"recipe": wildcards.recipe, "task": wildcards.task, "src": wildcards.src}
        columns |= {"tgt": wildcards.src, "split": "test", "seed": seed, "scale": snakemake.params.scale}
        scores += as_scores(head.scores(rows, predicted, settings), len(predicted), **columns)
    write_table(pa.concat_tables(predictions), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores)
