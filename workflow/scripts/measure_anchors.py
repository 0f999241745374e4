"""Count the anchors that a recipe has in every target language."""

from xstitch.core.job import job
from xstitch.core.parquet import read_table
from xstitch.results.scores import Score, write_scores

with job(snakemake):
    recipe, source = snakemake.wildcards.recipe, snakemake.wildcards.src
    counts = [len(read_table(file, ["source"])) for file in snakemake.input.anchors]
    scores = [
        Score(recipe, "anchors", source, target, "all", "anchors", 0, count, count, snakemake.params.scale)
        for target, count in zip(snakemake.params.targets, counts, strict=True)
    ]
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
