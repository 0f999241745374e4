"""Bilingual lexicon induction by MUSE's convention: is a word's translation among its nearest neighbours?

A query is a source word with at least one translation in the target vocabulary; any of its translations is a
hit. Ranks come from counting the better words, not from sorting; of equal scores the more frequent word comes
first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import torch

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides, known_pairs
from xstitch.spaces.csls import csls_ranks, gold_ranks, group_pairs
from xstitch.spaces.neighbours import to_device, unit
from xstitch.vectors.table import Vectors

CUTOFFS = (1, 5, 10)


@dataclass(frozen=True)
class BliSettings:
    """How a dictionary is tested."""

    csls_k: int = 10
    vocabulary: int = 200_000  # most frequent words of each side that take part

    def __post_init__(self) -> None:
        for key in ("csls_k", "vocabulary"):
            if getattr(self, key) < 1:
                raise InputError(f"{key} must be at least 1, not {getattr(self, key)}")


@dataclass(frozen=True)
class BliResult:
    """Precision in percent by number of neighbours, and how many of the dictionary's words were queried."""

    nn: dict[int, float]
    csls: dict[int, float]
    queries: int
    words: int

    @property
    def coverage(self) -> float:
        """Share of the dictionary's source words that could be queried, in percent."""
        return 100 * self.queries / self.words

    def row(self) -> dict[str, float]:
        """Flatten for score files, which contain shares."""
        shares = {
            f"{name}_p{k}": value / 100 for name in ("nn", "csls") for k, value in getattr(self, name).items()
        }
        return {**shares, "coverage": self.coverage / 100, "queries": self.queries}


def evaluate_bli(
    source: Vectors, target: Vectors, dictionary: pa.Table, settings: BliSettings | None = None
) -> BliResult:
    """Test vectors of one space on a dictionary (table with source, target)."""
    settings = settings or BliSettings()
    pairs = known_pairs(Sides(source, target), dictionary, settings.vocabulary)
    words = len(set(dictionary["source"].to_pylist()))
    if not len(pairs):
        raise InputError(
            f"none of the test dictionary's {words} words can be queried: check languages and casing"
        )
    queries, gold = group_pairs(pairs)
    left, right = (unit(to_device(side.matrix[: settings.vocabulary])) for side in (source, target))
    query_rows = left[torch.from_numpy(queries).to(left.device)]
    ranks = gold_ranks(query_rows, right, gold), csls_ranks(left, right, queries, gold, settings.csls_k)
    return BliResult(*map(precision, ranks), len(queries), words)


def precision(ranks: np.ndarray) -> dict[int, float]:
    """Compute the percentage of queries with a translation among the first 1, 5 and 10."""
    return {k: 100 * float((ranks < k).mean()) for k in CUTOFFS}
