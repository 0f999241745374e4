"""Score an alignment by word similarity, within every language and between any two."""

from xstitch.core.job import job
from xstitch.results.scores import write_scores
from xstitch.spaces.aligned import load_aligned
from xstitch.spaces.similarity import ScoredAlignment, similarity_scores

with job(snakemake):
    sides = dict(zip(snakemake.params.targets, map(load_aligned, snakemake.input.aligned), strict=True))
    scored = ScoredAlignment(snakemake.wildcards.alignment, snakemake.wildcards.src, snakemake.params.scale)
    files = zip(snakemake.input.pairs, snakemake.input.gold, strict=True)
    tests = dict(zip(map(tuple, snakemake.params.languages), files, strict=True))
    write_scores(similarity_scores(scored, sides, tests), snakemake.output.scores, snakemake.params.chain)
