"""Score an encoder, without fine-tuning, by the translations it finds in every target language."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.encoders.sentence_retrieval import SentenceEncoder, retrieval_accuracy
from xstitch.results.scores import as_scores, write_scores
from xstitch.sources.tasks.tatoeba import Translation

with job(snakemake):
    identity = {name: snakemake.wildcards[name] for name in ("recipe", "task", "src")}
    encoder = SentenceEncoder.load(
        Path(snakemake.input.encoder), snakemake.params.layer, snakemake.params.max_length
    )
    scores = []
    for target, test in zip(snakemake.params.targets, snakemake.input.tests, strict=True):
        rows = read_table(test, ["sentence", "english"]).to_pylist()
        values = {"accuracy": retrieval_accuracy(encoder, [Translation(**row) for row in rows]) / 100}
        columns = {**identity, "tgt": target, "split": "test", "seed": 0}
        scores += as_scores(values, len(rows), scale=snakemake.params.scale, **columns)
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
