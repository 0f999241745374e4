"""Score heads fitted to a few labelled texts of every target language, on a stitched model's features."""

from functools import partial
from pathlib import Path

import pyarrow as pa

from xstitch.core.draws import nested_sample
from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.core.progress import progress
from xstitch.models.labelled_heads import encode_labelled, labelled_answers
from xstitch.models.settings.labelled import LabelledSettings
from xstitch.results.metrics import classification_scores
from xstitch.results.scores import as_scores, predictions_table, write_scores

with job(snakemake):
    params, recipe = snakemake.params, snakemake.params.recipe
    identity = {name: snakemake.wildcards[name] for name in ("recipe", "task", "src")}
    settings, labels = LabelledSettings(**recipe.get("head", {})), list(params.labels)

    encoded = partial(encode_labelled, labels=labels, max_length=params.max_length)
    source = None
    if files := snakemake.input.get("source_train"):
        source, _ = encoded(Path(snakemake.input.source_model), read_table(files).to_pydict())
    scores, predictions = [], []
    for target, model, train, test in progress(params.cases, "evaluating", unit="language"):
        rows = read_table(test).to_pydict()
        # The target's texts give mean and spread, labelled or not.
        known, moments = encoded(Path(model), read_table(train).to_pydict())
        asked, _ = encoded(Path(model), rows, moments=moments)
        for seed in params.draws:
            drawn = nested_sample(len(known.labels), recipe["labels"], params.seed, seed)
            answers = labelled_answers(known.some(drawn), source, asked.features, len(labels), settings)
            predicted = [labels[best] for best in answers.argmax(axis=1)]
            predictions.append(predictions_table(target, seed, rows, predicted))
            columns = {**identity, "tgt": target, "split": "test", "seed": seed}
            values = classification_scores(rows["label"], predicted, labels)
            scores += as_scores(values, len(predicted), scale=params.scale, **columns)
    write_table(pa.concat_tables(predictions), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores, params.chain)
