"""Sinkhorn: one iteration by hand, marginals, the plan of an independent solver, blocks, assignments."""

import math

import numpy as np
import ot
import pytest
import torch

from xstitch.spaces.anchors import sinkhorn as module
from xstitch.spaces.anchors.sinkhorn import GROUP, assign_both, assign_columns, sinkhorn, soft_min
from xstitch.spaces.settings.search import SinkhornSettings


def points(count, seed, dimensions=4):
    return torch.randn(count, dimensions, generator=torch.Generator().manual_seed(seed))


def plan(rows, columns, settings):
    """Compute the whole plan from the potentials and from distances that are not computed in blocks."""
    u, v = (part.double() for part in sinkhorn(rows, columns, settings))
    costs = torch.cdist(rows.double(), columns.double())
    return ((u[:, None] + v - costs) / settings.eps).exp()


def test_a_soft_minimum_by_hand():
    # Costs 1 and 1 + eps ln 2, all others infinite: -eps ln(e^(-1/eps) (1 + 1/2)) = 1 - eps ln 1.5.
    costs = torch.full((1, 2 * GROUP), torch.inf)
    costs[0, 3], costs[0, GROUP + 1] = 1, 1 + 0.1 * math.log(2)
    assert float(soft_min(costs, 0.1)) == pytest.approx(1 - 0.1 * math.log(1.5))


@pytest.mark.parametrize("eps", [1e-4, 0.1, 50.0])
def test_groups_far_from_the_minimum_do_not_matter(eps):
    costs = points(30, 0, 5 * GROUP).abs() + 3
    expected = -eps * torch.logsumexp(-costs.double() / eps, dim=1)
    torch.testing.assert_close(soft_min(costs, eps).double(), expected, rtol=1e-5, atol=1e-6)


def test_one_iteration_by_hand():
    # Rows at 0 and 3, columns at 0 and 1, on a line: costs 0 1 / 3 2. With eps 1, K = exp(-cost) and v = 0:
    # a row's scaling is (1/2) / its sum, a column's is (1/2) / its sum over the scaled rows.
    rows, columns = torch.tensor([[0.0], [3.0]]), torch.tensor([[0.0], [1.0]])
    kernel = np.exp(-np.array([[0.0, 1.0], [3.0, 2.0]]))
    scaled = kernel * (0.5 / kernel.sum(axis=1, keepdims=True))
    expected = scaled * (0.5 / scaled.sum(axis=0))
    computed = plan(rows, columns, SinkhornSettings(eps=1.0, iterations=1))
    np.testing.assert_allclose(computed, expected, rtol=1e-5)


def test_the_plan_is_that_of_an_independent_solver(monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", 32)
    rows, columns = points(90, 1), points(70, 2)
    costs = ot.dist(rows.double().numpy(), columns.double().numpy(), metric="euclidean")
    masses = np.full(90, 1 / 90), np.full(70, 1 / 70)
    golden = ot.sinkhorn(*masses, costs, reg=0.5, numItermax=5000, stopThr=1e-12)
    computed = plan(rows, columns, SinkhornSettings(eps=0.5, iterations=500, stop=1e-7))
    np.testing.assert_allclose(computed, golden, rtol=2e-3, atol=1e-8)


def test_columns_are_balanced_after_each_iteration_and_rows_in_the_end():
    rows, columns = points(150, 3), points(61, 4)
    once = plan(rows, columns, SinkhornSettings(eps=0.1, iterations=1))
    np.testing.assert_allclose(once.sum(dim=0), 1 / 61, rtol=1e-4)
    assert float(once.sum(dim=1).max()) > 1.5 / 150
    often = plan(rows, columns, SinkhornSettings(eps=0.3, iterations=500, stop=1e-6))
    np.testing.assert_allclose(often.sum(dim=0), 1 / 61, rtol=1e-4)
    np.testing.assert_allclose(often.sum(dim=1), 1 / 150, rtol=1e-3)


def test_a_column_far_from_every_row_gets_its_mass():
    # At a distance of a thousand eps, a share of e^-1000 is none at all next to that of the other column.
    rows, columns = torch.tensor([[0.0], [1.0]]), torch.tensor([[0.0], [100.0]])
    once = plan(rows, columns, SinkhornSettings(eps=0.1, iterations=1))
    np.testing.assert_allclose(once.sum(dim=0), [0.5, 0.5], rtol=1e-3)


@pytest.mark.parametrize("iterations", [1, 4])
def test_blocks_change_nothing(monkeypatch, iterations):
    rows, columns, settings = points(130, 5), points(67, 6), SinkhornSettings(eps=0.05, iterations=iterations)
    whole, partners = plan(rows, columns, settings), assign_columns(rows, columns, settings)
    monkeypatch.setattr(module, "BLOCK_ROWS", 17)
    torch.testing.assert_close(plan(rows, columns, settings), whole, rtol=1e-3, atol=1e-9)
    # Rows that fit a column equally well up to the last bits may swap: what counts is their mass.
    others, each = assign_columns(rows, columns, settings), torch.arange(67)
    torch.testing.assert_close(whole[others, each], whole[partners, each], rtol=1e-3, atol=0)


@pytest.mark.parametrize("iterations", [1, 5])
def test_assignments_are_the_heaviest_entries_of_the_plan(iterations):
    rows, columns, settings = points(80, 7), points(120, 8), SinkhornSettings(eps=0.2, iterations=iterations)
    heavy = plan(rows, columns, settings)
    matches = assign_both(rows, columns, sinkhorn(rows, columns, settings))
    assert torch.equal(matches.of_rows, heavy.argmax(dim=1))
    assert torch.equal(matches.of_columns, heavy.argmax(dim=0))
    assert torch.equal(assign_columns(rows, columns, settings), matches.of_columns)


def test_a_row_is_assigned_by_its_regret_not_by_its_distance():
    # On a line: rows at 0 and 9, columns at 1 and 3. The first row is nearer to both columns, but its nearest
    # is at 1: taking 3 costs it 3 - 1 = 2 more, while the second row, whose nearest that is, loses nothing.
    rows, columns = torch.tensor([[0.0], [9.0]]), torch.tensor([[1.0], [3.0]])
    assert assign_columns(rows, columns, SinkhornSettings()).tolist() == [0, 1]


def test_of_equal_rows_the_first_is_taken():
    rows, columns = torch.tensor([[5.0], [0.0], [0.0]]), torch.tensor([[0.0], [5.0]])
    assert assign_columns(rows, columns, SinkhornSettings()).tolist() == [1, 0]


def test_a_common_shift_changes_nothing():
    rows, columns = points(50, 9), points(50, 10)
    shifted = sinkhorn(rows + 100, columns + 100, SinkhornSettings(eps=0.5, iterations=3))
    for near, far in zip(sinkhorn(rows, columns, SinkhornSettings(0.5, 3)), shifted, strict=True):
        torch.testing.assert_close(near, far, rtol=0, atol=2e-4)


def test_it_stops_when_nothing_moves(monkeypatch):
    calls = []
    real = module._iterate
    monkeypatch.setattr(module, "_iterate", lambda *arguments: calls.append(1) or real(*arguments))
    sinkhorn(points(20, 11), points(20, 12), SinkhornSettings(eps=1.0, iterations=1000, stop=1e-3))
    assert 1 < len(calls) < 100


def test_potentials_are_float32():
    for part in sinkhorn(points(5, 0), points(5, 1), SinkhornSettings()):
        assert part.dtype == torch.float32
