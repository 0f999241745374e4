"""Nearest neighbours: tiles against sorting, in both directions."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from xstitch.spaces import neighbours, tiles
from xstitch.spaces.neighbours import mutual_nearest, nearest, to_device, unit


def rows(count, seed, dimensions=6):
    return torch.randn(count, dimensions, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("left", "right"), [(3, 2), (70, 41), (64, 130), (129, 1)])
@pytest.mark.parametrize("k", [1, 2, 10])
def test_tiles_change_nothing(monkeypatch, left, right, k):
    monkeypatch.setattr(tiles, "TILE_SCORES", 300)
    monkeypatch.setattr(tiles, "TILE_COLUMNS", 17)
    a, b = rows(left, 0), rows(right, 1)
    scores = a @ b.T
    forward, backward = mutual_nearest(a, b, k)
    for top, whole in ((forward, scores), (backward, scores.T), (nearest(a, b, k), scores)):
        values, order = whole.sort(dim=1, descending=True)
        torch.testing.assert_close(top.values, values[:, :k])
        assert torch.equal(top.indices, order[:, :k])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_large_sides_need_no_sorting(dtype):
    # Wide enough for bounds from the maxima of groups, and for more than one part of the columns.
    a, b = rows(300, 0).to(dtype), rows(13_000, 1).to(dtype)
    values, order = (a @ b.T).sort(dim=1, descending=True)
    forward, backward = mutual_nearest(a, b, 5)
    for top in (forward, nearest(a, b, 5)):
        assert top.values.dtype == dtype
        torch.testing.assert_close(top.values, values[:, :5])
        assert (top.indices == order[:, :5]).float().mean() > 0.999  # two products may round differently
    torch.testing.assert_close(backward.values, (b @ a.T).sort(dim=1, descending=True).values[:, :5])


def test_tiles_are_bounded():
    # 200,000 rows and 12,000 columns would make 9.6 GB of scores.
    blocks = tiles.Search(np.zeros((12_000, 1)), 50).blocks(200_000)
    assert max(block.stop - block.start for block in blocks) * tiles.TILE_COLUMNS * 4 <= 8 * 2**20
    assert [blocks[0].start, blocks[-1].stop] == [0, 200_000]
    assert all(block.stop == after.start for block, after in pairwise(blocks))


def test_rows_are_scaled_to_length_one_and_zeros_stay():
    np.testing.assert_allclose(unit(to_device(np.array([[3, 4], [0, 0]]))).cpu(), [[0.6, 0.8], [0, 0]])


def turned(a, angle):
    """Turn the first two dimensions, as another iteration of self-learning would."""
    map_ = torch.eye(a.shape[1])
    map_[:2, :2] = torch.tensor([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return a @ map_


def numbers(tops):
    return tuple(top.indices for top in tops)


@pytest.mark.parametrize(("left", "right"), [(3, 2), (70, 41), (64, 130), (129, 1)])
@pytest.mark.parametrize("k", [1, 2, 10])
@pytest.mark.parametrize("angle", [0.0, 0.02, 1.0])
def test_what_was_found_before_changes_nothing(monkeypatch, left, right, k, angle):
    monkeypatch.setattr(tiles, "TILE_SCORES", 300)
    monkeypatch.setattr(tiles, "TILE_COLUMNS", 17)
    monkeypatch.setattr(neighbours, "LOOSE", 100)
    # Products of whole numbers are exact, wherever in a tile a processor computes them.
    a, b = (100 * rows(left, 0)).round(), (100 * rows(right, 1)).round()
    before = numbers(mutual_nearest(turned(a, angle), b, k))
    for found, expected in zip(mutual_nearest(a, b, k, before), mutual_nearest(a, b, k), strict=True):
        assert torch.equal(found.values, expected.values)
        assert torch.equal(found.indices, expected.indices)
        assert found.indices.dtype == expected.indices.dtype


def test_of_equally_near_the_first_are_found_again():
    # Four columns are the same, and two more score as much with the opposite sign.
    a = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]).repeat(5, 1)
    b = torch.tensor([[2.0, 0.0], [0.0, 1.0], [2.0, 0.0], [-2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [-2.0, 0.0]])
    before = mutual_nearest(a, b, 3)
    forward, backward = mutual_nearest(a, b, 3, tuple(top.indices.flip(1) for top in before))
    assert forward.indices.tolist() == [[0, 2, 4], [3, 6, 1], [0, 1, 2]] * 5
    assert forward.values.tolist() == [[2, 2, 2], [2, 2, 0], [0, 0, 0]] * 5
    assert backward.indices[:4].tolist() == [[0, 3, 6], [0, 1, 2], [0, 3, 6], [1, 4, 7]]


def test_bounds_that_spare_no_work_are_not_used(monkeypatch):
    a, b = rows(200, 0), rows(300, 1)
    near, far = (numbers(mutual_nearest(each, b, 3)) for each in (turned(a, 0.001), -a))
    used = []
    real = neighbours.mutual_reaching
    monkeypatch.setattr(neighbours, "mutual_reaching", lambda *args: used.append(1) or real(*args))
    mutual_nearest(a, b, 3, far)
    assert used == []
    mutual_nearest(a, b, 3, near)
    assert used == [1]
