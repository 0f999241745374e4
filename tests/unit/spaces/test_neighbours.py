"""Nearest neighbours: grouped selection against sorting, both directions, dropped scores, CSLS by hand."""

import numpy as np
import pytest
import torch

from xstitch.spaces import neighbours
from xstitch.spaces.neighbours import (
    Discounted,
    Top,
    gold_ranks,
    group_pairs,
    mutual_nearest,
    nearest,
    to_device,
    top_of_rows,
    unit,
    with_csls,
)


def rows(count, seed, dimensions=6):
    return torch.randn(count, dimensions, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("width", [5, 300, 2048, 2500, 5000])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_best_of_each_row_are_those_of_a_full_sort(width, k):
    scores = torch.randn(7, width, generator=torch.Generator().manual_seed(width))
    values, order = scores.sort(dim=1, descending=True)
    top = top_of_rows(scores, k)
    assert torch.equal(top.values, values[:, :k])
    assert torch.equal(top.indices, order[:, :k])


def test_equal_scores_fill_the_top():
    assert top_of_rows(torch.ones(2, 4096), 10).values.tolist() == [[1.0] * 10] * 2


@pytest.mark.parametrize(("left", "right"), [(3, 2), (70, 41), (64, 130), (129, 1)])
@pytest.mark.parametrize("k", [1, 2, 10])
def test_tiles_change_nothing(monkeypatch, left, right, k):
    monkeypatch.setattr(neighbours, "TILE_ROWS", 64)
    monkeypatch.setattr(neighbours, "TILE_COLUMNS", 17)
    monkeypatch.setattr(neighbours, "LOOK_ROWS", 5)
    a, b = rows(left, 0), rows(right, 1)
    scores = a @ b.T
    forward, backward = mutual_nearest(a, b, k)
    for top, whole in ((forward, scores), (backward, scores.T), (nearest(a, b, k), scores)):
        values, order = whole.sort(dim=1, descending=True)
        torch.testing.assert_close(top.values, values[:, :k])
        assert torch.equal(top.indices, order[:, :k])


def test_padding_does_not_win_where_all_similarities_are_negative():
    a, b = torch.ones(17, 2), -torch.ones(3, 2)  # seventeen rows in groups of sixteen, three columns in one
    forward, backward = mutual_nearest(a, b, 2)
    assert backward.values.tolist() == [[-2.0, -2.0]] * 3
    assert backward.indices.max() < 17
    for top in (forward, nearest(a, b, 2)):
        assert top.values.tolist() == [[-2.0, -2.0]] * 17
        assert top.indices.max() < 3


def test_padding_of_several_tiles_does_not_win_either(monkeypatch):
    monkeypatch.setattr(neighbours, "TILE_COLUMNS", 17)
    top = nearest(torch.ones(2, 2), -torch.ones(52, 2), 3)  # four tiles, the last mostly padding
    assert top.values.tolist() == [[-2.0] * 3] * 2
    assert top.indices.max() < 52


def test_csls_by_hand():
    # cos 0.8, means 0.5 and 0.3: CSLS = 2 * 0.8 - 0.5 - 0.3 = 0.8; the product is half of it.
    left, right = with_csls(
        torch.tensor([[1.0, 0.0]]), torch.tensor([[0.8, 0.6]]), torch.tensor([0.5]), torch.tensor([0.3])
    )
    assert float(left @ right.T) == pytest.approx(0.4)


def discounted(a, b, k, discounts, keep=1.0):
    search = Discounted(a, b, *mutual_nearest(a, b, k), torch.as_tensor(discounts))
    return search.best(keep, torch.Generator().manual_seed(0))


def test_discounts_by_hand():
    # Scores 5, 4, 3, 2 minus discounts 4, 2, 0, 1.5 are 1, 2, 3, 0.5: the third wins, not one of the top two.
    columns = torch.tensor([[5.0], [4.0], [3.0], [2.0]])
    assert discounted(torch.ones(1, 1), columns, 2, [4.0, 2.0, 0.0, 1.5]).tolist() == [2]


@pytest.mark.parametrize("k", [1, 3, 80])
def test_the_best_by_discounted_score_are_those_of_all_scores(monkeypatch, k):
    monkeypatch.setattr(neighbours, "DROP_ROWS", 8)
    a, b = rows(70, 0), rows(41, 1)
    discounts = 3 * torch.rand(41, generator=torch.Generator().manual_seed(2))
    expected = (a @ b.T - discounts).argmax(dim=1)
    assert not torch.equal(expected, (a @ b.T).argmax(dim=1))
    assert torch.equal(discounted(a, b, k, discounts), expected)


def test_only_columns_that_may_win_are_multiplied(monkeypatch):
    # After discounts the first row's best known is 7 and its other scores are below 8: rivals have discounts
    # below 1, the third and the last column. The last one's other scores are below 2, so it is no rival.
    multiplied = []
    real = neighbours._best_key
    monkeypatch.setattr(neighbours, "_best_key", lambda *a: (multiplied.append(a[1].tolist()), real(*a))[1])
    a, columns = torch.tensor([[1.0], [2.0]]), torch.tensor([[9.0], [8.0], [5.0], [7.5], [1.0]])
    of_rows = Top(torch.tensor([[9.0, 8.0], [18.0, 16.0]]), torch.tensor([[0, 1], [0, 1]]))
    of_columns = Top(2 * columns, torch.ones(5, 1, dtype=torch.long))
    search = Discounted(a, columns, of_rows, of_columns, torch.tensor([3, 1, 0.5, 1.5, 0]))
    # The second row has 15 twice; of equals the first wins.
    assert search.best(1.0, torch.Generator()).tolist() == [1, 0]
    assert multiplied == [[[5.0, -0.5]]]


@pytest.mark.parametrize("k", [1, 3])
def test_the_best_among_kept_columns_are_those_of_all_kept_scores(monkeypatch, k):
    a, b = rows(70, 0), rows(41, 1)
    discounts, kept = torch.rand(2, 41, generator=torch.Generator().manual_seed(2))
    kept = kept < 0.4
    monkeypatch.setattr(neighbours, "_draw", lambda height, *_: kept.expand(height, -1))
    expected = (a @ b.T - discounts).masked_fill(~kept, -torch.inf).argmax(dim=1)
    assert torch.equal(discounted(a, b, k, discounts, 0.4), expected)


@pytest.mark.parametrize("k", [1, 40])
def test_dropped_scores_never_win_even_if_all_are_negative(k):
    a, b = torch.ones(500, 2), -torch.ones(40, 2) * torch.arange(1, 41)[:, None]
    best = discounted(a, b, k, torch.zeros(40), 0.3)
    # Scores fall from column 0 on: the winner is the first kept column, and draws differ between blocks.
    assert len(set(best.tolist())) == 2
    assert best.max() < 40


def test_each_column_is_kept_with_the_given_probability():
    generator = torch.Generator().manual_seed(0)
    a, b = torch.ones(1, 1), torch.tensor([[2.0], [1.0]])
    search = Discounted(a, b, *mutual_nearest(a, b, 1), torch.zeros(2))
    wins = [int(search.best(0.4, generator)) for _ in range(500)]
    # The first wins if kept (0.4), or by the random choice where none is (0.36 / 2).
    assert np.mean(np.array(wins) == 0) == pytest.approx(0.58, abs=0.05)


def test_at_least_one_column_is_kept():
    assert discounted(torch.ones(3, 1), torch.ones(4, 1), 2, torch.zeros(4), 1e-12).shape == (3,)


def test_rows_are_scaled_to_length_one_and_zeros_stay():
    np.testing.assert_allclose(unit(to_device(np.array([[3, 4], [0, 0]]))).cpu(), [[0.6, 0.8], [0, 0]])


def test_of_equal_scores_the_frequent_word_comes_first():
    keys = to_device(np.array([[1.0], [2.0], [2.0], [2.0], [0.0]]))
    query = to_device(np.ones((3, 1)))
    ranks = gold_ranks(query, keys, np.array([[1, 1], [2, 3], [0, 4]]))
    np.testing.assert_array_equal(ranks, [0, 1, 3])


def test_ranks_are_those_of_a_stable_sort():
    random = np.random.default_rng(0)
    queries, keys = random.integers(-2, 3, size=(60, 3)), random.integers(-2, 3, size=(50, 3))
    gold = np.sort(random.integers(0, 50, size=(60, 2)), axis=1)
    order = np.argsort(-(queries @ keys.T), axis=1, kind="stable")
    expected = [min(list(row).index(g) for g in golds) for row, golds in zip(order, gold, strict=True)]
    np.testing.assert_array_equal(gold_ranks(to_device(queries), to_device(keys), gold), expected)


def test_pairs_are_grouped_by_query():
    queries, gold = group_pairs(np.array([[5, 1], [2, 9], [5, 0], [5, 1]]))
    np.testing.assert_array_equal(queries, [2, 5])
    np.testing.assert_array_equal(gold, [[9, 9], [0, 1]])
