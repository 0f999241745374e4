"""Score the models of a recipe in every target language and seed."""

from pathlib import Path

from xstitch.classification import predict
from xstitch.job import job
from xstitch.parquet import read_table
from xstitch.progress import progress
from xstitch.scores import classification_scores, write_scores
from xstitch.tasks.taxi1500 import LABELS

with job(snakemake):
    scores = []
    for target, seed, model, test in progress(snakemake.params.cases, "evaluating", unit="model"):
        texts = read_table(test).to_pydict()
        predicted = predict(Path(model), texts["text"], snakemake.params.max_length).labels
        place = {**snakemake.wildcards, "tgt": target, "split": "test", "seed": seed}
        scores += classification_scores(
            texts["label"], predicted, LABELS, scale=snakemake.params.scale, **place
        )
    write_scores(scores, snakemake.output.scores)
