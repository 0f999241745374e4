"""Score logistic regression on mean word vectors in every target language."""

import pyarrow as pa

from xstitch.core.draws import nested_sample
from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.models.logistic_regression import regression_across
from xstitch.results.metrics import classification_scores
from xstitch.results.scores import as_scores, predictions_table, write_scores
from xstitch.vectors.table import Vectors

with job(snakemake):
    identity = {name: snakemake.wildcards[name] for name in ("recipe", "task", "src")}
    scores, predictions = [], []
    files = zip(snakemake.input.vectors, snakemake.input.train, snakemake.input.test, strict=True)
    unlabelled = snakemake.input.own or [None] * len(snakemake.params.targets)
    for target, own, (vectors, train, test) in zip(snakemake.params.targets, unlabelled, files, strict=True):
        train, test = read_table(train).to_pydict(), read_table(test).to_pydict()
        own = read_table(own)["text"].to_pylist() if own else None
        vectors = Vectors.load(vectors)
        for seed in snakemake.params.draws:
            drawn = nested_sample(len(train["text"]), snakemake.params.size, snakemake.params.seed, seed)
            texts, labels = ([train[name][row] for row in drawn] for name in ("text", "label"))
            predicted = regression_across(vectors, texts, labels, vectors, test["text"], own)
            predictions.append(predictions_table(target, seed, test, predicted))
            columns = {**identity, "tgt": target, "split": "test", "seed": seed}
            values = classification_scores(test["label"], predicted, snakemake.params.labels)
            scores += as_scores(values, len(predicted), scale=snakemake.params.scale, **columns)
    write_table(pa.concat_tables(predictions), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
