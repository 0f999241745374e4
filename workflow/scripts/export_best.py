"""Copy the chosen model into a folder to give away, with a card that says why it was chosen."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.tsv import read_records
from xstitch.results.best_report import BestReport, choice_lines
from xstitch.results.exported import export_model
from xstitch.results.recommendation import chosen, expect, judge, read_known

with job(snakemake):
    inputs, params = snakemake.input, snakemake.params
    records, known = read_records(inputs.choice), read_known(inputs.known)
    best, code = chosen(records), params.about["code"]
    report = BestReport(
        **params.about,
        candidates=records,
        coverage=read_records(inputs.coverage),
        expected=expect(float(best["information"]), known, code),
        judged=judge(known),
    )
    model = Path(inputs.models[records.index(best)])
    lines = list(choice_lines(report))
    export_model(model, snakemake.output, params.facts[best["recipe"]], inputs, params.seed, lines)
    print(*lines, sep="\n")
