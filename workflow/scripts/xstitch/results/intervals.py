"""Confidence intervals of recipes' scores, of differences between recipes, and of correlations.

Macro-F1 and accuracy are bootstrapped over test items. All recipes are scored on the same resamples: the
difference of two recipes has a far narrower interval than their scores, since a hard item is hard for both.
Chains and seeds are drawn above the items, by `xstitch.results.resampling`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit  # scipy.stats would take half a second to load, in every plan

from xstitch.results.ranges import Range

RESAMPLES = 2_000
LEVEL = 0.95
DRAWN = 100  # resamples


@dataclass(frozen=True)
class Interval:
    """A number and the range that contains it in 95 of 100 samples."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Correlation:
    """Pearson's r, the ends of its 95 % interval, and the number of points."""

    r: float
    low: float
    high: float
    n: int


def resampled_weights(items: int, seed: int, resamples: int = RESAMPLES) -> np.ndarray:
    """Draw how often each item is in each resample; the first row has every item once.

    Small floats are exact for such numbers and their sums. A few rows are drawn at a time: as whole numbers
    all of them would take twice the memory.
    """
    generator, shares = np.random.default_rng(seed), np.full(items, 1 / items)
    weights = np.ones((resamples + 1, items), dtype=np.float32)
    for first in range(1, resamples + 1, DRAWN):
        part = weights[first : first + DRAWN]
        part[:] = generator.multinomial(items, shares, size=len(part))
    return weights


def resampled_macro_f1(
    gold: Sequence[str], runs: Sequence[Sequence[str]], labels: Sequence[str], weights: np.ndarray
) -> np.ndarray:
    """Score every resample, averaged over the runs (seeds) of one recipe."""
    return np.mean([_macro_f1(np.asarray(gold), np.asarray(run), labels, weights) for run in runs], axis=0)


def resampled_accuracy(gold: Sequence[str], run: Sequence[str], weights: np.ndarray) -> np.ndarray:
    """Return the share of right predictions in every resample."""
    right = np.asarray(gold) == np.asarray(run)
    return (weights @ right.astype(weights.dtype)).astype(float) / len(right)


def interval(scores: np.ndarray, within: Range | None = None, freedom: float = math.inf) -> Interval:
    """Turn resampled scores, or their differences, into an interval around the score on all items.

    `within` is the range of the score, if it has one; `freedom` are the degrees of freedom of its spread
    (`xstitch.results.freedom`).
    """
    tail = 100 * (1 - LEVEL) / 2
    value = float(scores[0])
    ends = np.percentile(scores[1:], [tail, 100 - tail])
    if math.isfinite(freedom):
        ends = value + (ends - value) * stdtrit(freedom, (1 + LEVEL) / 2) / ndtri((1 + LEVEL) / 2)
    low, high = map(float, ends)
    return Interval(value, *(within.ends(value, low, high) if within else (low, high)))


def correlation(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Return Pearson's correlation with an interval by Fisher's transformation."""
    return _fisher_interval(_pearson(np.asarray(first), np.asarray(second)), len(first), 3)


def partial_correlation(
    first: Sequence[float], second: Sequence[float], fixed: Sequence[float]
) -> Correlation:
    """Correlate the residuals of both after a linear fit on a third factor."""
    basis = np.stack([np.ones(len(fixed)), np.asarray(fixed, dtype=float)], axis=1)
    residuals = []
    for values in (np.asarray(first, dtype=float), np.asarray(second, dtype=float)):
        fitted, *_ = np.linalg.lstsq(basis, values, rcond=None)
        residuals.append(values - basis @ fitted)
    return _fisher_interval(_pearson(*residuals), len(first), 4)


def _macro_f1(
    gold: np.ndarray, predicted: np.ndarray, labels: Sequence[str], weights: np.ndarray
) -> np.ndarray:
    is_gold, is_predicted = (given[:, None] == np.asarray(labels) for given in (gold, predicted))
    # One product for all labels: seven times as fast as one for each.
    counts = weights @ np.hstack([is_gold & is_predicted, is_gold, is_predicted]).astype(weights.dtype)
    both, *each = np.hsplit(counts.astype(float), 3)
    either = sum(each)
    # A label that is neither gold nor predicted counts as 0, as in `metrics.macro_f1`.
    return np.divide(2 * both, either, out=np.zeros_like(both), where=either > 0).mean(axis=1)


def _pearson(first: np.ndarray, second: np.ndarray) -> float:
    first, second = first - first.mean(), second - second.mean()
    scale = np.sqrt((first @ first) * (second @ second))
    return float(first @ second / scale) if scale > 0 else float("nan")


def _fisher_interval(r: float, count: int, lost: int) -> Correlation:
    """Use that Fisher's z has variance 1 / (points - 3), with one point less for each fixed factor."""
    if count <= lost or not abs(r) < 1:
        return Correlation(r, float("nan"), float("nan"), count)
    width = ndtri((1 + LEVEL) / 2) / np.sqrt(count - lost)
    low, high = np.tanh(np.arctanh(r) + np.array([-width, width]))
    return Correlation(r, float(low), float(high), count)
