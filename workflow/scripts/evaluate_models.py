"""Score the models of a recipe in every target language and seed."""

from pathlib import Path

import pyarrow as pa

from xstitch.classification import predict
from xstitch.comparisons import predictions_table
from xstitch.job import job
from xstitch.parquet import read_table, write_table
from xstitch.progress import progress
from xstitch.scores import classification_scores, write_scores

with job(snakemake):
    scores, predictions = [], []
    for target, seed, model, test in progress(snakemake.params.cases, "evaluating", unit="model"):
        texts = read_table(test).to_pydict()
        predicted = predict(Path(model), texts["text"], snakemake.params.max_length).labels
        predictions.append(predictions_table(target, seed, texts, predicted))
        place = {**snakemake.wildcards, "tgt": target, "split": "test", "seed": seed}
        scores += classification_scores(
            texts["label"], predicted, snakemake.params.labels, scale=snakemake.params.scale, **place
        )
    write_table(pa.concat_tables(predictions), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores)
