"""Random draws in integer arithmetic, so that a sample is the same on every processor.

numpy chooses its kernels by processor, and their results differ in the last bits. If a sum, an exponential
or a matrix product of floats decided a draw, different processors would draw different samples. So weights,
their sums and the points drawn between them are integers, and a probability is only ever compared with a
number that comes straight from the generator.
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
HIGHEST_EXPONENTIAL = 1 << 30  # stands for exp(0)


def weighted(rng: np.random.Generator, weights: Sequence[int] | np.ndarray, count: int) -> np.ndarray:
    """Draw `count` indices into `weights`, with probabilities proportional to these integers."""
    ends = np.cumsum(np.asarray(weights, dtype=np.int64))
    return np.searchsorted(ends, rng.integers(ends[-1], size=count), side="right")


def weighted_without_replacement(rng: np.random.Generator, weights: np.ndarray, count: int) -> np.ndarray:
    """Draw `count` different indices one by one, each by its weight among those that remain."""
    remaining, drawn = weights.astype(np.int64), np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        # Skipping repeats is the same as drawing from what remains.
        indices = weighted(rng, remaining, count - len(drawn))
        first = np.sort(np.unique(indices, return_index=True)[1])
        drawn = np.concatenate([drawn, indices[first]])
        remaining[indices] = 0
    return drawn


def nested_sample(count: int, size: int | None, *seed: int) -> np.ndarray:
    """Draw `size` of `count` positions, in their order; all of them if there are no more, or for None.

    Of the same seed, a smaller sample is part of every larger one: along a curve, nothing changes but what
    is added.
    """
    if size is None or size >= count:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).permutation(count)[:size])


class WeightedRows:
    """Draws columns from rows of a matrix of integer weights; one search serves all draws."""

    def __init__(self, weights: np.ndarray) -> None:
        self.columns = weights.shape[1]
        self._ends = np.cumsum(weights.ravel())  # exact: int64
        totals = weights.sum(axis=1)
        self._totals, self._starts = totals, np.cumsum(totals) - totals

    def draw(self, rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
        """Return one column for each of `rows`."""
        points = self._starts[rows] + rng.integers(self._totals[rows])
        return np.searchsorted(self._ends, points, side="right") - rows * self.columns


def bell(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """Draw nearly normal integers with standard deviation `NORMAL`: sums of twelve uniform ones."""
    half = NORMAL // 2
    return rng.integers(-half, half + 1, size=(*size, SUMMANDS)).sum(axis=-1)


def directions(rng: np.random.Generator, count: int, dimensions: int) -> np.ndarray:
    """Draw vectors of length `UNIT` in random directions."""
    return unit_rows(bell(rng, (count, dimensions)))


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Scale rows of integers to the length `UNIT`."""
    lengths = [max(1, isqrt(square)) for square in (rows * rows).sum(axis=1).tolist()]
    return rows * UNIT // np.array(lengths)[:, None]


@cache
def exponentials(lowest: int) -> np.ndarray:
    """Tabulate exp(-k / EXPONENT_STEPS) for k from 0 to `lowest`, in units of 1 / `HIGHEST_EXPONENTIAL`."""
    context = Context(prec=30)  # decimal arithmetic is the same on every processor
    values = (context.exp(context.divide(Decimal(-k), EXPONENT_STEPS)) for k in range(lowest + 1))
    return np.array([int(context.multiply(value, HIGHEST_EXPONENTIAL)) for value in values])
