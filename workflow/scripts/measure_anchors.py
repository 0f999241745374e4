"""Count the anchors that a recipe has in every target language."""

from xstitch.job import job
from xstitch.parquet import read_table
from xstitch.scores import Score, write_scores

with job(snakemake):
    recipe, source = snakemake.wildcards.recipe, snakemake.wildcards.src
    counts = [len(read_table(file, ["source"])) for file in snakemake.input.anchors]
    scores = [
        Score(recipe, "anchors", source, target, "all", "anchors", 0, count, count, snakemake.params.scale)
        for target, count in zip(snakemake.params.targets, counts, strict=True)
    ]
    write_scores(scores, snakemake.output.scores)
