"""Measure how many of the pairs that were found for a recipe's anchors are right by another lexicon."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.results.scores import Score, write_scores
from xstitch.spaces.anchors.judging import judged

with job(snakemake):
    names, scale = snakemake.wildcards, snakemake.params.scale
    scores = []
    for target, *files in zip(
        snakemake.params.targets, snakemake.input.found, snakemake.input.judges, strict=True
    ):
        found, judge = map(read_table, files)
        share, number = judged(found, snakemake.params.seeds or 0, judge)
        print(f"{target}: {share:.1%} of {number} pairs")
        scores.append(
            Score(names.recipe, names.task, names.src, target, "all", "correct", 0, share, number, scale)
        )
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
