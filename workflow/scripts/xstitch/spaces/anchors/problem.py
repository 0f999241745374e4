"""Parallel anchors from a few seeds: what is known, and what a search finds.

All anchors are known in the source space; in the target space only the partners of the first few, the seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.optimize import linear_sum_assignment

from xstitch.core.errors import InputError
from xstitch.vectors.table import Vectors

UNKNOWN = -1  # partner of a word that has none, or whose partner is not known


@dataclass(frozen=True)
class SeededSpaces:
    """Two spaces of any sizes and dimensions, and what is known about their anchors.

    `anchors` are rows of the source; `seeds` are the target rows of the first of them. `partners` has the
    true target row of each source row, or UNKNOWN; it only serves for measuring.
    """

    source: np.ndarray
    target: np.ndarray
    anchors: np.ndarray
    seeds: np.ndarray
    partners: np.ndarray | None = None

    def __post_init__(self) -> None:
        if not len(self.seeds) <= len(self.anchors) > 0:
            raise InputError(
                f"{len(self.anchors)} anchors need at least one anchor and at most as many seeds"
            )
        for name, rows, matrix in (
            ("anchors", self.anchors, self.source),
            ("seeds", self.seeds, self.target),
        ):
            if len(np.unique(rows)) < len(rows):
                raise InputError(f"{name}: a word occurs twice")
            if len(matrix) < len(self.anchors):
                raise InputError(f"{len(self.anchors)} anchors in a space of {len(matrix)} words: take fewer")
            if not np.isfinite(matrix).all():
                raise InputError("the vectors contain numbers that are not finite: import them again")

    @property
    def true_anchors(self) -> np.ndarray:
        """The target vectors of all anchors; only for measuring."""
        return self.target[self.partners[self.anchors]]

    @property
    def seed_anchors(self) -> np.ndarray:
        """The target vectors of the seeds."""
        return self.target[self.seeds]

    @property
    def sources(self) -> np.ndarray:
        """The true source row of each target row, or UNKNOWN."""
        rows = np.full(len(self.target), UNKNOWN)
        known = np.flatnonzero(self.partners != UNKNOWN)
        rows[self.partners[known]] = known
        return rows

    def exchanged(self) -> SeededSpaces:
        """Swap the roles: the same anchors, all known in the target and only the seeds in the source."""
        seeds = self.anchors[: len(self.seeds)]
        return SeededSpaces(self.target, self.source, self.partners[self.anchors], seeds, self.sources)


@dataclass(frozen=True)
class Unpaired:
    """Texts of both sides that have no known partners, and how many of each side are taken."""

    source: np.ndarray
    target: np.ndarray
    size: int


@dataclass(frozen=True)
class FoundAnchors:
    """Unit vectors in the target space, one per anchor; distinct words for them; the search's history."""

    vectors: np.ndarray
    rows: np.ndarray
    history: pa.Table


def draw_anchors(words: int, anchors: int, seed: int) -> np.ndarray:
    """Draw the rows of distinct anchors; the first of them are the seeds."""
    if anchors > words:
        raise InputError(f"{anchors} anchors cannot be drawn from {words} words: take fewer")
    return np.random.default_rng(seed).choice(words, anchors, replace=False)


def pair_spaces(
    source: Vectors,
    target: Vectors,
    words: Sequence[str],
    anchors: int,
    seeds: int,
    seed: int,
    *,
    exchanged: bool = False,
) -> SeededSpaces:
    """Take shared words from two spaces and draw anchors and seeds; `exchanged` then swaps their roles.

    Each side keeps its own order of frequency, so that a word's position does not reveal its partner.
    """
    left, right = (np.sort([side.index[word] for word in words]) for side in (source, target))
    positions = {target.words[row]: position for position, row in enumerate(right)}
    partners = np.array([positions[source.words[row]] for row in left])
    chosen = draw_anchors(len(left), anchors, seed)
    spaces = SeededSpaces(
        source.matrix[left], target.matrix[right], chosen, partners[chosen[:seeds]], partners
    )
    return spaces.exchanged() if exchanged else spaces


def among_unpaired(parallel: SeededSpaces, texts: Unpaired, seed: int) -> SeededSpaces:
    """Keep only the seeds of parallel texts; other anchors and the search are among texts without partners.

    The seeds come first on both sides. The rows after them are in random order: the first are the anchors.
    """
    random, known = np.random.default_rng(seed), len(parallel.seeds)
    left, right = (side[random.permutation(len(side))[: texts.size]] for side in (texts.source, texts.target))
    source = np.concatenate([parallel.source[parallel.anchors[:known]], left])
    target = np.concatenate([parallel.seed_anchors, right])
    return SeededSpaces(source, target, np.arange(len(parallel.anchors)), np.arange(known))


def distinct_words(scores: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Give every anchor after the seeds a different word so that the sum of scores is largest."""
    scores = scores.copy()
    scores[:, seeds] = -np.inf  # they are taken
    return np.concatenate([seeds, linear_sum_assignment(scores, maximize=True)[1]])
