"""Take what the candidate that was chosen without labels scores in every target language."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.core.tsv import read_records
from xstitch.results.recommendation import chosen
from xstitch.results.scores import read_scores, write_scores
from xstitch.results.taken import Taken, taken_predictions, taken_scores

with job(snakemake):
    inputs, params = snakemake.input, snakemake.params
    choices = [chosen(read_records(file))["recipe"] for file in inputs.choices]
    taken = [Taken(tgt, name, params.seeds[name]) for tgt, name in zip(params.targets, choices, strict=True)]
    scores = [score for file in inputs.scores for score in read_scores(file)]
    predictions = dict(zip(params.seeds, map(read_table, inputs.predictions), strict=True))
    write_table(taken_predictions(taken, predictions), snakemake.output.predictions)
    write_scores(
        taken_scores(taken, scores, snakemake.wildcards.recipe), snakemake.output.scores, params.chain
    )
