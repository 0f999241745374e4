"""Draws in integers: each index is drawn by exactly its weight."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from xstitch.core.draws import (
    HIGHEST_EXPONENTIAL,
    NORMAL,
    UNIT,
    WeightedRows,
    bell,
    directions,
    exponentials,
    nested_sample,
    unit_rows,
    weighted,
    weighted_without_replacement,
)


class EveryPoint:
    """A generator that returns every point below the bound once, in order."""

    def integers(self, bound, size=None):
        return np.arange(size) % bound if size is not None else np.arange(len(bound)) % bound


def test_an_index_is_drawn_as_often_as_its_weight_says() -> None:
    assert weighted(EveryPoint(), [1, 0, 3, 2], 6).tolist() == [0, 2, 2, 2, 3, 3]


def test_rows_are_drawn_by_their_own_weights() -> None:
    rows = WeightedRows(np.array([[0, 2, 1], [4, 0, 1]]))
    assert rows.draw(EveryPoint(), np.array([0, 0, 0])).tolist() == [1, 1, 2]
    assert rows.draw(EveryPoint(), np.array([1, 1, 1, 1, 1])).tolist() == [0, 0, 0, 0, 2]
    assert rows.draw(EveryPoint(), np.array([1, 0, 1, 0])).tolist() == [0, 1, 0, 1]


def test_without_replacement_everything_is_drawn_once_and_heavy_weights_first() -> None:
    weights = np.array([1, 10**9, 1, 10**6])
    drawn = weighted_without_replacement(np.random.default_rng(1), weights, 4)
    assert sorted(drawn.tolist()) == [0, 1, 2, 3]
    assert drawn[:2].tolist() == [1, 3]


def test_without_replacement_the_second_draw_is_from_what_remains() -> None:
    # By hand: P(0, then 1) = 1/2 * 1/2 and P(1, then 0) = 1/4 * 2/3, so P({0, 1}) = 5/12.
    rng, weights = np.random.default_rng(2), np.array([2, 1, 1])
    pairs = [frozenset(weighted_without_replacement(rng, weights, 2).tolist()) for _ in range(6000)]
    assert pairs.count(frozenset({0, 1})) / 6000 == pytest.approx(5 / 12, abs=0.03)
    assert pairs.count(frozenset({1, 2})) / 6000 == pytest.approx(1 / 6, abs=0.03)


def test_bells_have_their_deviation_and_directions_their_length() -> None:
    values = bell(np.random.default_rng(3), (20000,))
    assert values.dtype == np.int64
    assert values.mean() == pytest.approx(0, abs=0.03 * NORMAL)
    assert values.std() == pytest.approx(NORMAL, rel=0.03)
    assert np.mean(np.abs(values) < NORMAL) == pytest.approx(0.683, abs=0.015)  # as for a normal distribution
    lengths = np.sqrt((directions(np.random.default_rng(4), 50, 16) ** 2).sum(axis=1))
    assert lengths == pytest.approx(UNIT, rel=1e-3)
    assert unit_rows(np.array([[3, 4], [0, 0]])).tolist() == [[3 * UNIT // 5, 4 * UNIT // 5], [0, 0]]


def test_exponentials_agree_with_the_real_function() -> None:
    table = exponentials(250)
    assert table[0] == HIGHEST_EXPONENTIAL
    assert table / HIGHEST_EXPONENTIAL == pytest.approx([exp(-k / 100) for k in range(251)], abs=2e-9)


def test_a_smaller_sample_is_part_of_a_larger_one():
    small, large = (nested_sample(1000, size, 7, 1) for size in (50, 200))
    assert len(set(small)) == 50 and len(set(large)) == 200
    assert set(small) <= set(large) <= set(range(1000))
    assert list(small) == sorted(small)  # in the order of what is sampled
    assert small.max() > 900 and small.min() < 100  # from everywhere, not the first ones
    assert set(nested_sample(1000, 50, 7, 2)) != set(small)
    assert set(nested_sample(1000, 50, 8, 1)) != set(small)


def test_a_sample_of_more_than_there_is_is_all_of_it():
    for size in (None, 5, 9):
        assert list(nested_sample(5, size, 1)) == [0, 1, 2, 3, 4]


def test_every_position_is_as_likely():
    counts = np.bincount([row for seed in range(3000) for row in nested_sample(6, 2, seed)], minlength=6)
    assert (np.abs(counts - 1000) < 130).all()  # five standard deviations of 26
