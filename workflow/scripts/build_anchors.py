"""Choose the parallel anchors of a language pair."""

from functools import partial
from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.encoders.special_tokens import special_words
from xstitch.spaces.anchors.lexicon import anchors_table, build_anchors, stop_words, whole_words
from xstitch.spaces.settings.anchors import AnchorRules
from xstitch.vectors.table import Vectors, lower_cased

with job(snakemake):
    settings = snakemake.params.anchors
    source, target = Vectors.load(snakemake.input.source), Vectors.load(snakemake.input.target)
    lexicon = read_table(snakemake.input.lexicon)
    source_rows = whole_words(source.words, special_words(Path(snakemake.input.encoder)))
    translated = set(lexicon.column("source").to_pylist())
    translated_words = (word for word in source_rows if word in translated)
    rules = AnchorRules(
        settings["choice"],
        settings["min_score"],
        settings["size"],
        snakemake.params.seed,
        stop_words(settings["stop_words"], snakemake.wildcards.src, translated_words),
        lower_cased(target.words),
        settings.get("pairing", "one-to-one"),
    )
    confirm = list
    if agreement := settings.get("agreement"):
        # imports torch, which takes seconds to load
        from xstitch.spaces.anchors.agreement import confirmed
        from xstitch.spaces.settings.anchors import Agreement

        strictness = Agreement(**agreement, seed=snakemake.params.seed)
        confirm = partial(confirmed, source=source.matrix, target=target.matrix, settings=strictness)
    anchors = build_anchors(lexicon, source_rows, target.index, rules, confirm)
    write_table(anchors_table(anchors), snakemake.output.anchors)
    print(f"{len(anchors):,} anchors")
