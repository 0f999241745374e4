"""Score the model that was chosen without labels, on labelled texts of its language."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.core.tsv import read_records
from xstitch.models.classification import predict_labels
from xstitch.results.metrics import classification_scores
from xstitch.results.scores import as_scores, predictions_table, write_scores

with job(snakemake):
    inputs, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
    records = read_records(inputs.choice)
    row = next(number for number, record in enumerate(records) if record["chosen"])
    recipe, test = records[row]["recipe"], read_table(inputs.test, ["id", "label", "text"]).to_pydict()
    predicted = predict_labels(Path(inputs.models[row]), test["text"], params.max_length).labels
    seed = params.seeds[recipe]
    columns = {"recipe": recipe, "task": wildcards.task, "src": wildcards.src, "tgt": wildcards.tgt}
    columns |= {"split": "test", "seed": seed, "scale": params.scale}
    values = classification_scores(test["label"], predicted, params.labels)
    write_scores(as_scores(values, len(predicted), **columns), snakemake.output.scores)
    write_table(predictions_table(wildcards.tgt, seed, test, predicted), snakemake.output.predictions)
