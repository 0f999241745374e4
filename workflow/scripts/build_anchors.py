"""Choose the parallel anchors of a language pair."""

from pathlib import Path

from xstitch.anchors import AnchorRules, anchors_table, build_anchors, whole_words
from xstitch.job import job
from xstitch.parquet import read_table, write_table
from xstitch.tokens import lower_cased, special_words
from xstitch.vectors import Vectors

with job(snakemake):
    settings = snakemake.params.anchors
    target = Vectors.load(snakemake.input.target)
    rules = AnchorRules(
        settings["choice"],
        settings["min_score"],
        settings["size"],
        snakemake.params.seed,
        frozenset(settings["stop_words"]),
        lower_cased(target.words),
    )
    anchors = build_anchors(
        read_table(snakemake.input.lexicon),
        whole_words(Vectors.load(snakemake.input.source).words, special_words(Path(snakemake.input.encoder))),
        target.index,
        rules,
    )
    write_table(anchors_table(anchors), snakemake.output.anchors)
    print(f"{len(anchors):,} anchors")
