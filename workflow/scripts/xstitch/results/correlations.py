"""Correlations with confidence intervals, plain and with another factor held fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

LEVEL = 0.95


@dataclass(frozen=True)
class Correlation:
    """Pearson's r, the ends of its 95 % interval, and the number of points."""

    r: float
    low: float
    high: float
    n: int


def correlation(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Pearson's correlation with an interval by Fisher's transformation."""
    return _interval(_pearson(np.asarray(first), np.asarray(second)), len(first), 3)


def partial_correlation(
    first: Sequence[float], second: Sequence[float], fixed: Sequence[float]
) -> Correlation:
    """Correlation of what a linear fit on a third factor leaves of both."""
    basis = np.stack([np.ones(len(fixed)), np.asarray(fixed, dtype=float)], axis=1)
    rests = []
    for values in (np.asarray(first, dtype=float), np.asarray(second, dtype=float)):
        fitted, *_ = np.linalg.lstsq(basis, values, rcond=None)
        rests.append(values - basis @ fitted)
    return _interval(_pearson(*rests), len(first), 4)


def _pearson(first: np.ndarray, second: np.ndarray) -> float:
    first, second = first - first.mean(), second - second.mean()
    scale = np.sqrt((first @ first) * (second @ second))
    return float(first @ second / scale) if scale > 0 else float("nan")


def _interval(r: float, count: int, lost: int) -> Correlation:
    """Fisher's z has a variance of 1 / (points - 3), one less for each factor held fixed."""
    if count <= lost or not abs(r) < 1:
        return Correlation(r, float("nan"), float("nan"), count)
    width = norm.ppf((1 + LEVEL) / 2) / np.sqrt(count - lost)
    low, high = np.tanh(np.arctanh(r) + np.array([-width, width]))
    return Correlation(r, float(low), float(high), count)
