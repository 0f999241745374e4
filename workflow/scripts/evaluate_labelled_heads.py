"""Score heads fitted to a few labelled texts of every target language, on a stitched model's features."""

import pyarrow as pa

from xstitch.core.draws import nested_sample
from xstitch.core.files import load_npz
from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.core.progress import progress
from xstitch.models.labelled_heads import labelled_answers, standardised_texts
from xstitch.models.settings.labelled import LabelledSettings
from xstitch.results.metrics import classification_scores
from xstitch.results.scores import as_scores, predictions_table, write_scores

with job(snakemake):
    params, recipe = snakemake.params, snakemake.params.recipe
    identity = {name: snakemake.wildcards[name] for name in ("recipe", "task", "src")}
    settings, labels = LabelledSettings(**recipe.get("head", {})), list(params.labels)
    numbers = {label: number for number, label in enumerate(labels)}

    def numbered(file):
        """Return the rows of a file and the numbers of their labels."""
        rows = read_table(file).to_pydict()
        return rows, [numbers[label] for label in rows["label"]]

    _, source_labels = numbered(snakemake.input.source)
    scores, predictions = [], []
    for target, file, train, test in progress(params.cases, "evaluating", unit="language"):
        features = load_npz(file)
        (_, known_labels), (rows, asked_labels) = numbered(train), numbered(test)
        texts = standardised_texts(features, {"train": known_labels, "test": asked_labels})
        source = None
        if recipe["source_labels"]:
            source = standardised_texts({"train": features["source"]}, {"train": source_labels})["train"]
        for seed in params.draws:
            drawn = nested_sample(len(known_labels), recipe["labels"], params.seed, seed)
            known, asked = texts["train"].some(drawn), texts["test"].features
            answers = labelled_answers(known, source, asked, len(labels), settings)
            predicted = [labels[best] for best in answers.argmax(axis=1)]
            predictions.append(predictions_table(target, seed, rows, predicted))
            columns = {**identity, "tgt": target, "split": "test", "seed": seed}
            values = classification_scores(rows["label"], predicted, labels)
            scores += as_scores(values, len(predicted), scale=params.scale, **columns)
    write_table(pa.concat_tables(predictions), snakemake.output.predictions)
    write_scores(scores, snakemake.output.scores, params.chain)
