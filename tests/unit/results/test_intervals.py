"""Intervals over test items, checked by hand and by independent resampling; correlations, against scipy."""

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import f1_score

from xstitch.results.intervals import (
    correlation,
    interval,
    partial_correlation,
    resampled_macro_f1,
    resampled_weights,
)

LABELS = ("a", "b", "c")


def test_every_resample_is_scored_as_sklearn_scores_its_items():
    random = np.random.default_rng(0)
    gold, predicted = random.choice(LABELS, 40), random.choice(LABELS, 40)
    weights = resampled_weights(40, seed=1, resamples=5)
    ours = resampled_macro_f1(gold, [predicted], LABELS, weights)
    for row, score in zip(weights.astype(int), ours, strict=True):
        items = np.repeat(np.arange(40), row)
        truth = f1_score(gold[items], predicted[items], labels=LABELS, average="macro", zero_division=0)
        assert score == pytest.approx(truth)


def test_the_first_row_is_the_sample_itself_and_every_resample_has_the_same_size():
    weights = resampled_weights(17, seed=3, resamples=50)
    assert (weights[0] == 1).all()
    assert (weights.sum(axis=1) == 17).all()


def test_runs_are_averaged():
    gold = ["a", "b"]
    weights = np.ones((1, 2))
    # The first run is right on both: 1. The second always answers "a": F1 of a is 2/3, of b 0, mean 1/3.
    scores = resampled_macro_f1(gold, [["a", "b"], ["a", "a"]], ("a", "b"), weights)
    assert scores == pytest.approx([(1 + 1 / 3) / 2])


def test_interval_by_hand():
    bounds = interval(np.array([0.5, *np.linspace(0, 1, 1001)]))
    assert (bounds.value, bounds.low, bounds.high) == pytest.approx((0.5, 0.025, 0.975))


def test_correlations_agree_with_scipy():
    rng = np.random.default_rng(2)
    fixed = rng.normal(size=50)
    first, second = fixed + rng.normal(size=50), 2 * fixed + rng.normal(size=50)
    ours, expected = correlation(first, second), pearsonr(first, second)
    interval = expected.confidence_interval()
    assert (ours.r, ours.low, ours.high) == pytest.approx((expected.statistic, interval.low, interval.high))
    # The textbook formula for a partial correlation, from the three plain ones.
    ab, ac, bc = (np.corrcoef(*pair)[0, 1] for pair in ((first, second), (first, fixed), (second, fixed)))
    partial = (ab - ac * bc) / np.sqrt((1 - ac**2) * (1 - bc**2))
    assert partial_correlation(first, second, fixed).r == pytest.approx(partial)
