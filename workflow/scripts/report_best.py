"""Recommend a model for a language: which one, why, what to expect and what would help most."""

from xstitch.core.job import job
from xstitch.core.parquet import count_rows, read_table
from xstitch.core.tsv import read_records
from xstitch.results.best_report import BestReport, choice_lines, render_best
from xstitch.results.coverage import measure
from xstitch.results.language_report import evaluate
from xstitch.results.pages import write_page
from xstitch.results.raising import gains, read_curves
from xstitch.results.recommendation import chosen, expect, judge, read_known
from xstitch.results.scores import read_scores

with job(snakemake):
    inputs, params = snakemake.input, snakemake.params
    records, known = read_records(inputs.choice), read_known(inputs.known)
    code, evaluation = params.about["code"], None
    if inputs.get("scores"):
        scores, predictions = read_scores(inputs.scores), read_table(inputs.predictions)
        evaluation = evaluate(scores, predictions, params.labels, params.seed)
    coverage = read_records(inputs.coverage)
    own = {"pairs": float(measure(coverage, "anchors")), "labels": 0.0}
    if inputs.get("corpus"):
        own["text"] = float(count_rows(inputs.corpus))
    report = BestReport(
        **params.about,
        candidates=records,
        coverage=coverage,
        left_out=params.left_out,
        expected=expect(float(chosen(records)["information"]), known, code),
        evaluation=evaluation,
        gains=gains(read_curves(inputs.curves), own, code),
        judged=judge(known),
    )
    write_page(snakemake.output.report, render_best(report))
    print(*choice_lines(report), sep="\n")
