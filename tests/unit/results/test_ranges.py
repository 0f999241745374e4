"""Intervals within the range of a score: by hand, and in a simulation of known truth."""

from math import atanh, tanh

import numpy as np
import pytest
from scipy.stats import t

from xstitch.results.intervals import interval
from xstitch.results.ranges import CORRELATION, RANGES, UNIT, Range, range_of
from xstitch.results.scores import Score
from xstitch.results.tables import fill_grid

SPEC = {
    "metric": "macro_f1",
    "split": "test",
    "column": "target",
    "columns": ["de", "es"],
    "average": "mean",
    "rows": [
        {"row": "A", "recipe": "a"},
        {"row": "B", "recipe": "b"},
        {"row": "B - A", "recipe": "b", "minus": "A"},
    ],
}


def test_the_ends_of_a_score_by_hand():
    # logit(.27) = ln(.27 / .73) = -.99462, slope 1 / (.27 * .73) = 5.07357:
    # -.99462 - 5.07357 * .40 = -3.02405, whose logistic is .04635; -.99462 + 5.07357 * .36 = .83186: .69675.
    assert UNIT.ends(0.27, -0.13, 0.63) == pytest.approx((0.04635, 0.69675), abs=1e-5)
    # The same in percent.
    assert UNIT.times(100).ends(27, -13, 63) == pytest.approx((4.635, 69.675), abs=1e-3)


def test_ends_near_a_score_stay_where_they_are():
    assert UNIT.ends(0.6, 0.599, 0.601) == pytest.approx((0.599, 0.601), abs=1e-6)


def test_a_correlation_has_fishers_interval():
    expected = tanh(atanh(0.6) - 0.2 / 0.64), tanh(atanh(0.6) + 0.3 / 0.64)
    assert CORRELATION.ends(0.6, 0.4, 0.9) == pytest.approx(expected)


def test_an_interval_at_a_bound_ends_there():
    assert UNIT.ends(0.0, 0.0, 0.0) == (0, 0)
    assert UNIT.ends(1.0, 0.9, 1.1) == (0.9, 1)


def test_a_difference_is_cut_off_and_nothing_else():
    assert UNIT.of_differences() == Range(-1, 1, difference=True)
    assert CORRELATION.of_differences().high == 2
    assert UNIT.of_differences().ends(0.4, -0.1, 0.7) == (-0.1, 0.7)
    assert UNIT.of_differences().ends(0.4, -1.3, 2) == (-1, 1)
    assert UNIT.of_differences().times(100).ends(40, -130, 70) == (-100, 70)


def test_an_interval_of_resamples_is_moved_within_the_range():
    drawn = np.array([0.27, *np.linspace(-0.15, 0.65, 1001)])  # 2.5 % and 97.5 % of these: -.13 and .63
    assert (interval(drawn).low, interval(drawn).high) == pytest.approx((-0.13, 0.63))
    bounds = interval(drawn, UNIT)
    assert (bounds.value, bounds.low, bounds.high) == pytest.approx((0.27, 0.04635, 0.69675), abs=1e-5)


def test_the_range_of_metrics():
    assert range_of(["macro_f1"]) == UNIT
    assert range_of(["f1", "accuracy"], 100) == Range(0, 100)  # a mean of tasks
    assert range_of(["spearman"]) == Range(-1, 1)
    assert range_of(["anchors"]) is None
    assert range_of(["f1", "spearman"]) is None
    assert range_of(["f1", "mae"]) is None
    assert range_of([]) is None
    assert set(RANGES.values()) == {UNIT, CORRELATION}


def grid_of(metric="macro_f1", **spec):
    values = {("a", "de"): 0.3, ("a", "es"): 0.5, ("b", "de"): 0.4, ("b", "es"): 0.7}
    scores = [
        Score(recipe, "task", "en", target, "test", metric, 1, np.array([value, value]), 9, "mini")
        for (recipe, target), value in values.items()
    ]
    return fill_grid({**SPEC, "metric": metric, **spec}, {("A", "fr"): 0.5}, scores, "en")


def test_cells_know_their_range():
    grid = grid_of(whole=100)
    assert grid["A", "de"].within == grid["A", "mean"].within == Range(0, 100)
    assert grid["B - A", "de"].within == grid["B - A", "mean"].within == Range(-100, 100, difference=True)
    assert grid_of("mae")["A", "de"].within is None


@pytest.mark.parametrize(("chains", "mean", "sd"), [(3, 0.27, 0.15), (3, 0.05, 0.04), (5, 0.93, 0.05)])
def test_the_truth_is_contained_more_often_than_in_cut_intervals(chains, mean, sd):
    """Scores of chains follow a beta distribution; cut off, intervals contain no more than before."""
    size = mean * (1 - mean) / sd**2 - 1
    drawn = np.random.default_rng(3).beta(mean * size, (1 - mean) * size, (4000, chains))
    means = drawn.mean(axis=1)
    widths = t.ppf(0.975, chains - 1) * drawn.std(axis=1, ddof=1) / np.sqrt(chains)
    cut = np.mean(np.abs(means - mean) <= widths)
    ends = [UNIT.ends(*one) for one in zip(means, means - widths, means + widths, strict=True)]
    held = np.mean([low <= mean <= high for low, high in ends])
    assert all(0 <= low <= high <= 1 for low, high in ends)
    assert held > cut + 0.01
    assert 0.935 <= held <= 0.965
