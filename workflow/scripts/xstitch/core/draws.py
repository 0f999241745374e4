"""Draws in whole numbers, so that a sample is the same on every processor.

numpy chooses its kernels by the processor, and their last bits differ. If a sum, an exponential or a matrix
product of floats decided a draw, every kind of machine would draw a sample of its own. So weights, their sums
and the points drawn between them are integers, and a probability is only ever compared with a number that
comes straight from the generator.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from functools import cache
from math import isqrt

import numpy as np

UNIT = 1 << 14  # the length of a unit vector
NORMAL = 1024  # the standard deviation of `bell`
SUMMANDS = 12
EXPONENT_STEPS = 100  # exponents are given in hundredths
HIGHEST_EXPONENTIAL = 1 << 30  # what exp(0) is


def weighted(rng: np.random.Generator, weights: Sequence[int] | np.ndarray, count: int) -> np.ndarray:
    """Draw `count` places of `weights`, each as often as its whole-number weight says."""
    ends = np.cumsum(np.asarray(weights, dtype=np.int64))
    return np.searchsorted(ends, rng.integers(ends[-1], size=count), side="right")


def weighted_without_replacement(rng: np.random.Generator, weights: np.ndarray, count: int) -> np.ndarray:
    """Draw `count` different places one after the other, each by its weight among those that are left."""
    left, drawn = weights.astype(np.int64), np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        # Drawing again what was drawn already changes nothing: skipping repeats is drawing from the rest.
        places = weighted(rng, left, count - len(drawn))
        first = np.sort(np.unique(places, return_index=True)[1])
        drawn = np.concatenate([drawn, places[first]])
        left[places] = 0
    return drawn


class WeightedRows:
    """Draws columns of a matrix of whole-number weights, row by row; one search serves all draws."""

    def __init__(self, weights: np.ndarray) -> None:
        self.columns = weights.shape[1]
        self._ends = np.cumsum(weights.ravel())  # of int64: exact
        totals = weights.sum(axis=1)
        self._totals, self._starts = totals, np.cumsum(totals) - totals

    def draw(self, rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
        """Return one column for each of `rows`."""
        points = self._starts[rows] + rng.integers(self._totals[rows])
        return np.searchsorted(self._ends, points, side="right") - rows * self.columns


def bell(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """Draw nearly normal whole numbers of deviation `NORMAL`: the sum of twelve even ones."""
    half = NORMAL // 2
    return rng.integers(-half, half + 1, size=(*size, SUMMANDS)).sum(axis=-1)


def directions(rng: np.random.Generator, count: int, dimensions: int) -> np.ndarray:
    """Draw vectors of length `UNIT` that point anywhere."""
    return unit_rows(bell(rng, (count, dimensions)))


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Bring rows of whole numbers to the length `UNIT`."""
    lengths = [max(1, isqrt(square)) for square in (rows * rows).sum(axis=1).tolist()]
    return rows * UNIT // np.array(lengths)[:, None]


@cache
def exponentials(lowest: int) -> np.ndarray:
    """Tabulate exp(-k / EXPONENT_STEPS) for k from 0 to `lowest`, as shares of `HIGHEST_EXPONENTIAL`."""
    context = Context(prec=30)  # decimal's own arithmetic, which no processor changes
    values = (context.exp(context.divide(Decimal(-k), EXPONENT_STEPS)) for k in range(lowest + 1))
    return np.array([int(context.multiply(value, HIGHEST_EXPONENTIAL)) for value in values])
