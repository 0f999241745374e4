"""CSLS by hand, discounted and dropped scores, and the ranks of known translations."""

import numpy as np
import pytest
import torch

from xstitch.spaces import csls
from xstitch.spaces.best import Top
from xstitch.spaces.csls import Discounted, gold_ranks, group_pairs, with_csls
from xstitch.spaces.neighbours import Products, mutual_nearest, to_device


def rows(count, seed, dimensions=6):
    return torch.randn(count, dimensions, generator=torch.Generator().manual_seed(seed))


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
    monkeypatch.setattr(csls, "DROP_ROWS", 8)
    monkeypatch.setattr(csls, "RIVALS_ROWS", 3)
    a, b = rows(70, 0), rows(41, 1)
    discounts = 3 * torch.rand(41, generator=torch.Generator().manual_seed(2))
    expected = (a @ b.T - discounts).argmax(dim=1)
    assert not torch.equal(expected, (a @ b.T).argmax(dim=1))
    assert torch.equal(discounted(a, b, k, discounts), expected)


def test_only_columns_that_may_win_are_multiplied(monkeypatch):
    # After discounts the first row's best known is 7 and its other scores are below 8: rivals have discounts
    # below 1, the third and the last column. The last one's other scores are below 2, so it is no rival.
    multiplied = []
    real = Products.__call__
    monkeypatch.setattr(Products, "__call__", lambda *a: (multiplied.append(a[2].tolist()), real(*a))[1])
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
    monkeypatch.setattr(csls, "_draw", lambda height, *_: kept.expand(height, -1))
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
