"""Score the mean of several models' probabilities for every target language and seed."""

from pathlib import Path

import pyarrow as pa

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.core.progress import progress
from xstitch.models.ensembles import predict_together
from xstitch.results.metrics import classification_scores
from xstitch.results.scores import as_scores, predictions_table, write_scores

with job(snakemake):
    identity = {name: snakemake.wildcards[name] for name in ("recipe", "task", "src")}
    scores, predictions = [], []
    for target, seed, models, test in progress(snakemake.params.cases, "evaluating", unit="ensemble"):
        test = read_table(test).to_pydict()
        folders = [Path(model) for model in models]
        predicted = predict_together(folders, test["text"], snakemake.params.max_length).labels
        predictions.append(predictions_table(target, seed, test, predicted))
        columns = {**identity, "tgt": target, "split": "test", "seed": seed}
        values = classification_scores(test["label"], predicted, snakemake.params.labels)
        scores += as_scores(values, len(predicted), scale=snakemake.params.scale, **columns)
    write_table(pa.concat_tables(predictions), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
