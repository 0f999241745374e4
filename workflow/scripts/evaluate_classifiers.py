"""Score logistic regression on mean word vectors in every target language."""

from xstitch.baselines import logistic_regression
from xstitch.job import job
from xstitch.parquet import read_table
from xstitch.scores import classification_scores, write_scores
from xstitch.tasks.taxi1500 import LABELS
from xstitch.vectors import Vectors

with job(snakemake):
    scores = []
    files = zip(snakemake.input.vectors, snakemake.input.train, snakemake.input.test, strict=True)
    for target, (vectors, train, test) in zip(snakemake.params.targets, files, strict=True):
        train, test = read_table(train).to_pydict(), read_table(test).to_pydict()
        predicted = logistic_regression(Vectors.load(vectors), train["text"], train["label"], test["text"])
        place = {**snakemake.wildcards, "tgt": target, "split": "test", "seed": 0}
        scores += classification_scores(
            test["label"], predicted, LABELS, scale=snakemake.params.scale, **place
        )
    write_scores(scores, snakemake.output.scores)
