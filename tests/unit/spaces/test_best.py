"""The k best of tiles of scores, against a stable sort of all of them."""

import numpy as np
import pytest
import torch

from xstitch.spaces import best
from xstitch.spaces.best import Best
from xstitch.spaces.neighbours import BestOnGpu, best_of


def collected(kind, scores, k, widths, axis=0):
    """Offer the columns of scores in tiles of these widths, with the items on one axis."""
    search = kind(len(scores), k, scores)
    for tile in scores.split(widths, dim=1):
        search.offer(tile.contiguous() if axis == 0 else tile.T.contiguous(), axis)
    return search.top()


def check(top, scores, k):
    """Compare with numpy's stable sort, by which the first of equals wins."""
    order = np.argsort(-scores.numpy(), axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(top.indices, order)
    np.testing.assert_array_equal(top.values, np.take_along_axis(scores.numpy(), order, axis=1))


def normal(*size, dtype=torch.float32):
    return torch.randn(*size, generator=torch.Generator().manual_seed(0), dtype=dtype)


@pytest.mark.parametrize("kind", [Best, BestOnGpu])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize("widths", [[5], [3, 2, 70], [700], [1000, 301, 9], [300] * 5])
def test_the_best_are_those_of_a_stable_sort(kind, axis, dtype, k, widths):
    distinct = normal(23, sum(widths), dtype=dtype)
    for scores in (distinct, distinct.round()):  # rounded to a few whole numbers, most have equals
        check(collected(kind, scores, k, widths, axis), scores, k)


@pytest.mark.parametrize("kind", [Best, BestOnGpu])
def test_rows_of_equal_scores_among_others(kind):
    scores = normal(40, 900)
    scores[7], scores[8] = 0, -3
    check(collected(kind, scores, 10, [600, 300]), scores, 10)


@pytest.mark.parametrize("kind", [Best, BestOnGpu])
def test_minus_zero_equals_zero(kind):
    scores = -torch.ones(2, 600)
    scores[:, 100], scores[:, 50], scores[:, 400] = 0.0, -0.0, 0.0
    assert collected(kind, scores, 3, [600]).indices.tolist() == [[50, 100, 400]] * 2


def test_scores_that_rise_with_their_partners_are_all_found():
    # Every tile has better scores than all before it: each bound is soon out of date.
    scores = torch.arange(3000.0).expand(4, -1) + torch.arange(4.0)[:, None]
    check(collected(Best, scores, 10, [300] * 10), scores, 10)


def test_few_scores_are_looked_at_twice(monkeypatch):
    found = []
    real = best.reaching
    monkeypatch.setattr(best, "reaching", lambda *given: found.append(real(*given)) or found[-1])
    collected(Best, normal(100, 20_000), 10, [10_000, 10_000])
    # About ten of each half reach the bounds; a bound that lets everything through would find 10,000.
    assert [8 < len(each) / 100 < 13 for each in found] == [True, True]


@pytest.mark.parametrize("shape", [(1, 16), (3, 47), (40, 33), (17, 300), (5, 7)])
def test_maxima_are_those_of_groups_of_distant_columns(shape):
    scores = normal(*shape).numpy()
    maxima = best.group_maxima(scores)
    assert maxima.shape == (shape[0], shape[1] // best.ACROSS)
    for row, each in zip(scores, maxima, strict=True):
        groups = [row[first : len(each) * best.ACROSS : len(each)] for first in range(len(each))]
        assert each.tolist() == [group.max() for group in groups]


@pytest.mark.parametrize("compared", [1, 50, 2**19])
@pytest.mark.parametrize("shape", [(1, 16), (3, 47), (40, 33), (5, 7)])
def test_every_score_that_reaches_its_bound_is_listed(monkeypatch, compared, shape):
    monkeypatch.setattr(best, "COMPARED", compared)  # one row at a time, a few, or all
    scores = normal(*shape).numpy().round(1)
    of_rows, of_columns = (normal(size).numpy().round(1) for size in shape)
    by_row = [place for place, score in np.ndenumerate(scores) if score >= of_rows[place[0]]]
    by_column = [place for place, score in np.ndenumerate(scores) if score >= of_columns[place[1]]]
    for axis, (bounds, expected) in enumerate([(of_rows, by_row), (of_columns, by_column)]):
        places = best.reaching(scores, bounds, axis)
        assert list(zip(*np.unravel_index(places, shape), strict=True)) == expected


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 1001])
def test_places_of_a_mask(size):
    mask = np.random.default_rng(size).random((1, size)) < 0.3
    np.testing.assert_array_equal(best.places_of(mask), np.flatnonzero(mask))


def test_scores_on_the_cpu_are_compared_there():
    assert isinstance(best_of(2, 1, torch.empty(0)), Best)
