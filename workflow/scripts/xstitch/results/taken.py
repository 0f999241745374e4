"""Scores and predictions that a recipe has from others: in each language those of one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from xstitch.results.scores import Score


class Taken(NamedTuple):
    """Whose results stand for a recipe's in a language."""

    target: str
    recipe: str
    seed: int


def taken_scores(taken: Sequence[Taken], scores: Iterable[Score], name: str) -> list[Score]:
    """Return the scores that are taken, language by language, under the name of the recipe that has them."""
    scores = list(scores)
    return [
        score._replace(recipe=name)
        for one in taken
        for score in scores
        if (score.tgt, score.recipe, score.seed) == one
    ]


def taken_predictions(taken: Sequence[Taken], predictions: Mapping[str, pa.Table]) -> pa.Table:
    """Return the predictions that are taken, language by language; `predictions` are tables by recipe."""
    return pa.concat_tables(_rows(predictions[one.recipe], one) for one in taken)


def _rows(table: pa.Table, one: Taken) -> pa.Table:
    is_taken = pc.and_(pc.equal(table.column("tgt"), one.target), pc.equal(table.column("seed"), one.seed))
    return table.filter(is_taken)
