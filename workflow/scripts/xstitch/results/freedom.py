"""How well the spread of a number is known where few seeds of fine-tuning tell it.

In a single chain, seeds are weighted for every resample so that a weighted mean varies as the mean of as many
seeds does. Its variance is known as well as the variance of n numbers is, with n - 1 degrees of freedom; that
of the items below is known far better. `freedom_of` brings both together (Welch 1947, Satterthwaite 1946):
where all of a resampled number's variance comes from its seeds it has n - 1 degrees of freedom, where half of
it does, four times as many. The weights are the same in every run, so that this can be told of whatever was
added up from weighted means: differences, and averages over languages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import numpy as np


@cache
def seed_weights(seeds: int, resamples: int, chain: int = 0) -> np.ndarray:
    """Draw the weight of every seed (rows) in every resample; the weights of a resample sum to 1."""
    if seeds == 1:
        return np.ones((1, resamples))
    normal = np.random.default_rng([seeds, chain]).standard_normal((seeds, resamples))
    return 1 / seeds + (normal - normal.mean(axis=0)) / math.sqrt(seeds * (seeds - 1))


def freedom_of(resampled: np.ndarray, chains: int, seeds: Iterable[int], most: float = math.inf) -> float:
    """Return the degrees of freedom of the spread of a resampled number; infinite where it is known well.

    `seeds` are how many of them the numbers had that it was made of; `most` is what few languages or target
    sets leave. The resamples of several chains have Student's distribution already.
    """
    deviations = resampled[1:] - resampled[1:].mean()
    variance = float(deviations @ deviations)
    if chains > 1 or not variance:
        return math.inf
    uncertain = sum(
        (_explained(deviations, number) / variance) ** 2 / (number - 1) for number in {*seeds} if number > 1
    )
    return min(most, 1 / uncertain) if uncertain else most


def _explained(deviations: np.ndarray, seeds: int) -> float:
    """Return the part of a sum of squares that the weights of so many seeds explain."""
    weights = seed_weights(seeds, deviations.size)[1:].T  # the first follows from the others
    basis, _ = np.linalg.qr(weights - weights.mean(axis=0))
    return float(np.square(basis.T @ deviations).sum())
