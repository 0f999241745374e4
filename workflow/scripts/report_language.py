"""Report on one language: what covers it, how its models score and where they are."""

import csv
from pathlib import Path

from xstitch.core.files import read_json, whole_file
from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.results.language_report import evaluation_table, kept_weights, language_report
from xstitch.results.scores import read_scores

with job(snakemake):
    params, inputs = snakemake.params, snakemake.input
    with Path(inputs.coverage).open(encoding="utf-8", newline="") as stream:
        coverage = list(csv.DictReader(stream, delimiter="\t"))
    evaluation, warnings = [], []
    if scores := inputs.get("scores"):
        target_scores = [score for score in read_scores(scores) if score.tgt == snakemake.wildcards.tgt]
        truth = read_table(inputs.test).column("label").to_pylist()
        evaluation, warnings = evaluation_table(target_scores, truth, params.labels)
    kept = [kept_weights(read_json(Path(folder) / "xstitch.json")["history"]) for folder in inputs.finetuned]
    models = dict(zip(inputs.models, kept, strict=True))
    text = language_report(params.title, params.summary, coverage, evaluation, warnings, models)
    with whole_file(snakemake.output.report) as partial:
        partial.write_text(text, encoding="utf-8")
    print(text)
