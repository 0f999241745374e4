"""Put choices that were made without labels beside the scores of all candidates."""

from xstitch.core.errors import InputError
from xstitch.core.job import job
from xstitch.core.tsv import read_records, write_records
from xstitch.results.recommendation import judge, judged_records
from xstitch.results.scores import read_scores

with job(snakemake):
    inputs, params = snakemake.input, snakemake.params
    scores = [score for file in inputs.scores for score in read_scores(file)]
    choices = [read_records(file) for file in inputs.choices]
    rows = judged_records(params.cases, choices, scores, params.scale)
    if not rows:
        raise InputError("no candidate has scores in any of these languages; add test texts")
    write_records(rows, snakemake.output.judged)
    for choice in judge(rows):
        where, lost = f"{choice.case.language}, chain {choice.case.chain}", choice.regret
        print(f"{where}: {choice.chosen} {choice.value:.3f}, {lost:.3f} below the best")
