"""Score logistic regression on mean vectors, trained on source texts, in every aligned target language."""

import pyarrow as pa

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.models.logistic_regression import regression_across
from xstitch.results.metrics import classification_scores
from xstitch.results.scores import as_scores, predictions_table, write_scores
from xstitch.spaces.aligned import load_aligned

with job(snakemake):
    identity = {name: snakemake.wildcards[name] for name in ("recipe", "task", "src")}
    scores, predictions = [], []
    train = read_table(snakemake.input.train).to_pydict()
    unlabelled = snakemake.input.own or [None] * len(snakemake.params.targets)
    files = zip(snakemake.input.aligned, unlabelled, snakemake.input.test, strict=True)
    for target, (aligned, own, test) in zip(snakemake.params.targets, files, strict=True):
        (source, vectors), test = load_aligned(aligned), read_table(test).to_pydict()
        own = read_table(own)["text"].to_pylist() if own else None
        predicted = regression_across(source, train["text"], train["label"], vectors, test["text"], own)
        predictions.append(predictions_table(target, 0, test, predicted))
        columns = {**identity, "tgt": target, "split": "test", "seed": 0}
        values = classification_scores(test["label"], predicted, snakemake.params.labels)
        scores += as_scores(values, len(predicted), scale=snakemake.params.scale, **columns)
    write_table(pa.concat_tables(predictions), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
