"""Confidence intervals of macro-F1 by the bootstrap over test items, for recipes and for their differences.

All recipes are scored on the same resamples: the difference of two has a far narrower interval than their
scores, since a hard item is hard for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2_000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A number and the range that holds it in 95 of 100 samples of test items."""

    value: float
    low: float
    high: float


def resampled_weights(items: int, seed: int, resamples: int = RESAMPLES) -> np.ndarray:
    """Draw how often each item stands in each resample; the first row holds every item once."""
    drawn = np.random.default_rng(seed).multinomial(items, np.full(items, 1 / items), size=resamples)
    return np.concatenate([np.ones((1, items)), drawn])


def resampled_macro_f1(
    gold: Sequence[str], runs: Sequence[Sequence[str]], labels: Sequence[str], weights: np.ndarray
) -> np.ndarray:
    """Score every resample, as the mean over runs (seeds) of one recipe."""
    return np.mean([_macro_f1(np.asarray(gold), np.asarray(run), labels, weights) for run in runs], axis=0)


def interval(scores: np.ndarray) -> Interval:
    """Turn resampled scores, or their differences, into an interval around the score of all items."""
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(scores[1:], [tail, 100 - tail])
    return Interval(float(scores[0]), float(low), float(high))


def _macro_f1(
    gold: np.ndarray, predicted: np.ndarray, labels: Sequence[str], weights: np.ndarray
) -> np.ndarray:
    total = np.zeros(len(weights))
    for label in labels:
        is_gold, is_predicted = gold == label, predicted == label
        both = weights @ (is_gold & is_predicted)
        either = weights @ is_gold.astype(float) + weights @ is_predicted.astype(float)
        # A label neither given nor predicted counts as 0, as in `metrics.macro_f1`.
        total += np.divide(2 * both, either, out=np.zeros_like(total), where=either > 0)
    return total / len(labels)
