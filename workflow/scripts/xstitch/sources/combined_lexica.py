"""Lexica made from others: several united, or two chained through a third language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xstitch.core.progress import progress
from xstitch.sources.lexica import SCHEMA

SOURCE_WORDS = 5_000  # chained at a time, to save memory: a word with many meanings has many paths


def unite(lexica: Sequence[pa.Table], weights: Sequence[float]) -> pa.Table:
    """Merge lexica; a pair's score is the weighted sum of its scores, so that agreement counts.

    Pairs come in the order of the lexica, and within a lexicon in its order.
    """
    weighted = [
        lexicon.set_column(2, "score", pc.multiply(lexicon["score"].cast(pa.float64()), weight))
        for lexicon, weight in zip(lexica, weights, strict=True)
    ]
    return _add_up(pa.concat_tables(weighted))


def chain(first: pa.Table, second: pa.Table, discount: float) -> pa.Table:
    """Translate through a third language, by a lexicon into it and one out of it.

    A path scores as much as its weaker half, times `discount`. Paths add up: a correct translation is often
    reached through several words of the third language, a wrong one through a single homonym. Words of the
    third language are compared without case, because some lexica are lower-cased. A word's best translations
    come first.
    """
    into = _folded(first.rename_columns(["source", "through", "into"]), "into")
    out_of = _folded(second.rename_columns(["through", "target", "out_of"]), "out_of")
    parts = [SCHEMA.empty_table()]
    for block in progress(list(_blocks(into)), "chain lexica", unit="block"):
        paths = block.join(out_of, "through", join_type="inner", use_threads=False)  # in a fixed order
        weaker = pc.min_element_wise(paths["into"], paths["out_of"])
        score = pc.multiply(weaker.cast(pa.float64()), discount)
        parts.append(_add_up(paths.select(["source", "target"]).append_column("score", score)))
    order = [("source", "ascending"), ("score", "descending"), ("target", "ascending")]
    return pa.concat_tables(parts).sort_by(order)


def _folded(lexicon: pa.Table, score: str) -> pa.Table:
    """Lower-case the third language; pairs that become equal keep their best score."""
    index = lexicon.column_names.index("through")
    lower = lexicon.set_column(index, "through", pc.utf8_lower(lexicon["through"]))
    words = [name for name in lexicon.column_names if name != score]
    return lower.group_by(words).aggregate([(score, "max")]).rename_columns([*words, score])


def _blocks(lexicon: pa.Table) -> Iterator[pa.Table]:
    """Split a lexicon into blocks that keep all pairs of a source word together."""
    ordered = lexicon.sort_by("source")
    ranks = pc.rank(ordered["source"], tiebreaker="dense").to_numpy()
    edges = np.searchsorted(ranks, np.arange(1, ranks.max(initial=0) + 1, SOURCE_WORDS))
    for start, stop in pairwise([*edges, len(ordered)]):
        yield ordered.slice(start, stop - start)


def _add_up(pairs: pa.Table) -> pa.Table:
    """Merge equal pairs at the position of the first, summing their scores."""
    summed = pairs.group_by(["source", "target"], use_threads=False).aggregate([("score", "sum")])
    return summed.rename_columns(SCHEMA.names).cast(SCHEMA)
