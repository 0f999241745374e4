"""Labelled texts and pairs of texts: what every reader of a classification task yields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np


class Example(NamedTuple):
    """One labelled text."""

    id: str
    label: str
    text: str


class LabelledPair(NamedTuple):
    """Two texts and the label of both together."""

    id: str
    label: str
    text: str
    second: str


Row = TypeVar("Row")


def sampled(examples: Iterable[Row], size: int | None, seed: int) -> Iterator[Row]:
    """Draw `size` examples uniformly, in their own order, holding no more than these; None: all of them.

    Not the first ones: corpora come sorted, by label or by book. Not so many of each label: what is drawn
    then has the shares of the whole, and readers need no second pass.
    """
    if size is None:
        yield from examples
        return
    random = np.random.default_rng(seed)
    drawn: list[tuple[int, Row]] = []
    for number, example in enumerate(examples):
        if number < size:
            drawn.append((number, example))
        # Reservoir sampling: the n-th example replaces one of the drawn with probability size / n.
        elif (place := int(random.integers(number + 1))) < size:
            drawn[place] = (number, example)
    yield from (example for _, example in sorted(drawn))
