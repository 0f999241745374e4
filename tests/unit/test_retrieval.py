"""Nearest neighbours: grouped selection against sorting, both directions, dropped scores, CSLS by hand."""

import numpy as np
import pytest
import torch

from xstitch import retrieval
from xstitch.retrieval import best_of_kept, mutual_nearest, nearest, to_device, top_of_rows, unit, with_csls


def rows(count, seed, dimensions=6):
    return torch.randn(count, dimensions, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("width", [5, 300, 2048, 2500, 5000])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_best_of_rows_are_those_of_a_full_sort(width, k):
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
    monkeypatch.setattr(retrieval, "TILE_ROWS", 64)
    monkeypatch.setattr(retrieval, "TILE_COLUMNS", 17)
    monkeypatch.setattr(retrieval, "LOOK_COLUMNS", 5)
    a, b = rows(left, 0), rows(right, 1)
    scores = a @ b.T
    forward, backward = mutual_nearest(a, b, k)
    for top, whole in ((forward, scores), (backward, scores.T), (nearest(a, b, k), scores)):
        values, order = whole.sort(dim=1, descending=True)
        torch.testing.assert_close(top.values, values[:, :k])
        assert torch.equal(top.indices, order[:, :k])


def test_padding_does_not_win_where_all_similarities_are_negative():
    a, b = torch.ones(9, 2), -torch.ones(3, 2)  # nine rows in groups of eight
    _, backward = mutual_nearest(a, b, 2)
    assert backward.values.tolist() == [[-2.0, -2.0]] * 3
    assert backward.indices.max() < 9


def test_csls_by_hand():
    # cos 0.8, means 0.5 and 0.3: CSLS = 2 * 0.8 - 0.5 - 0.3 = 0.8, of which the product is half.
    left, right = with_csls(
        torch.tensor([[1.0, 0.0]]), torch.tensor([[0.8, 0.6]]), torch.tensor([0.5]), torch.tensor([0.3])
    )
    assert float(left @ right.T) == pytest.approx(0.4)


def test_dropped_scores_never_win_even_if_all_are_negative():
    a, b = torch.ones(500, 2), -torch.ones(40, 2) * torch.arange(1, 41)[:, None]
    best = best_of_kept(a, b, 0.3, torch.Generator().manual_seed(0))
    # Scores fall from column 0 on: the winner is the first kept column, and draws differ between blocks.
    assert len(set(best.tolist())) == 2
    assert best.max() < 40


def test_each_column_is_kept_with_the_given_probability():
    generator = torch.Generator().manual_seed(0)
    a, b = torch.ones(1, 1), torch.tensor([[2.0], [1.0]])
    wins = [int(best_of_kept(a, b, 0.4, generator)) for _ in range(2000)]
    # The first wins if kept (0.4), or by the random choice where none is (0.36 / 2).
    assert np.mean(np.array(wins) == 0) == pytest.approx(0.58, abs=0.04)


def test_one_column_at_least_is_kept():
    best = best_of_kept(torch.ones(3, 1), torch.ones(4, 1), 1e-12, torch.Generator().manual_seed(0))
    assert best.shape == (3,)


def test_units():
    np.testing.assert_allclose(unit(to_device(np.array([[3, 4], [0, 0]]))).cpu(), [[0.6, 0.8], [0, 0]])
