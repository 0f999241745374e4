"""Score the models of a recipe for every target language and seed."""

from pathlib import Path

import pyarrow as pa

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.core.progress import progress
from xstitch.models.heads.registry import load_head
from xstitch.results.scores import as_scores, predictions_table, write_scores

with job(snakemake):
    identity = {name: snakemake.wildcards[name] for name in ("recipe", "task", "src")}
    head, settings = load_head(snakemake.params.rows), snakemake.params.settings
    scores, predictions = [], {}
    for target, seed, model, test in progress(snakemake.params.cases, "evaluating", unit="model"):
        rows = read_table(test)
        predicted = head.predict(Path(model), rows, settings)
        truth = {"id": rows["id"].to_pylist(), "label": head.truth(rows)}
        # Several models of one language (the source adapted to each target): all are scored, one is kept.
        predictions[target, seed] = predictions_table(target, seed, truth, predicted)
        columns = {**identity, "tgt": target, "split": "test", "seed": seed}
        values = head.scores(rows, predicted, settings)
        scores += as_scores(values, len(predicted), scale=snakemake.params.scale, **columns)
    write_table(pa.concat_tables(predictions.values()), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
