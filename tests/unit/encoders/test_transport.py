"""Transport: values by hand, an independent solver, padding without weight, gradients, plans."""

import numpy as np
import ot
import pytest
import torch

from xstitch.encoders.transport import shift, sinkhorn_divergence, transport_plan


def even(*counts, width=None):
    """Make equal weights for some points, zero for the rest."""
    width = width or max(counts)
    return torch.tensor([[1 / count] * count + [0.0] * (width - count) for count in counts])


def points(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_one_point_per_side_by_hand():
    # From the origin to (3, 4): half the squared distance, 25 / 2; the gradient at x is x - y.
    x, y = torch.zeros(1, 1, 2, requires_grad=True), torch.tensor([[[3.0, 4.0]]])
    value = sinkhorn_divergence(x, y, even(1), even(1))
    assert value.item() == pytest.approx(12.5)
    value.sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([[[-3.0, -4.0]]]))


def test_a_shifted_cloud_costs_half_the_squared_shift():
    # The best plan between a cloud and its shifted copy moves every point by the shift.
    x = 10 * points(1, 6, 3)
    moved = x + torch.tensor([0.3, 0.0, -0.4])
    value = sinkhorn_divergence(x, moved, even(6), even(6))
    assert value.item() == pytest.approx(0.25 / 2, rel=1e-3)
    assert sinkhorn_divergence(x, x, even(6), even(6)).item() == pytest.approx(0, abs=1e-5)


def test_one_to_two_by_hand():
    # All mass is at 0, half of it is needed at 2 and half at -2: cost 4 / 2. The two points with themselves,
    # far apart for a small blur, cost the entropy of a diagonal plan: eps log 2, half of which is subtracted.
    x, y = torch.zeros(1, 1, 1), torch.tensor([[[2.0], [-2.0]]])
    value = sinkhorn_divergence(x, y, even(1), even(2), blur=0.05)
    assert value.item() == pytest.approx(2 - 0.05**2 * np.log(2) / 2, abs=1e-5)


def test_the_divergence_is_that_of_an_independent_solver():
    x, y = points(9, 4), points(7, 4, seed=1) + 0.5

    def cost(a, b):
        weights = [np.full(len(side), 1 / len(side)) for side in (a, b)]
        matrix = ot.dist(a.double().numpy(), b.double().numpy()) / 2
        plan = ot.sinkhorn(*weights, matrix, reg=1.0, numItermax=10000, stopThr=1e-12)
        return (plan * matrix).sum() + (plan * np.log(plan / np.outer(*weights))).sum()

    expected = cost(x, y) - cost(x, x) / 2 - cost(y, y) / 2
    divergence = sinkhorn_divergence(x[None], y[None], even(9), even(7), blur=1.0).item()
    assert divergence == pytest.approx(expected, rel=0.02)


def test_geomloss_value_of_unit_rows():
    # What geomloss 0.3.1 returns for p = 2 and its other defaults, without a batch dimension.
    torch.manual_seed(0)
    x, y = (torch.nn.functional.normalize(torch.randn(rows, 768), dim=1) for rows in (20, 25))
    assert sinkhorn_divergence(x[None], y[None], even(20), even(25)).item() == pytest.approx(
        0.9263875, abs=1e-5
    )


@pytest.mark.parametrize("filling", [0.0, 1e3])
def test_padding_without_weight_changes_nothing(filling):
    x, y = points(1, 5, 4), points(1, 6, 4, seed=1)
    padded = [torch.nn.functional.pad(side, (0, 0, 0, 3), value=filling) for side in (x, y)]
    alone = sinkhorn_divergence(x, y, even(5), even(6)).item()
    together = sinkhorn_divergence(*padded, even(5, width=8), even(6, width=9)).item()
    assert together == pytest.approx(alone, rel=1e-5)


def test_problems_of_a_batch_cost_what_they_cost_alone():
    # Up to where GeomLoss' steps start, which depends on all points of a batch.
    x, y = points(3, 5, 4), points(3, 6, 4, seed=1)
    lengths = [(5, 6), (2, 3), (1, 6)]
    batched = sinkhorn_divergence(
        x, y, even(*(n for n, _ in lengths), width=5), even(*(m for _, m in lengths), width=6), blur=0.3
    )
    for row, (n, m) in enumerate(lengths):
        alone = sinkhorn_divergence(x[row : row + 1, :n], y[row : row + 1, :m], even(n), even(m), blur=0.3)
        assert batched[row].item() == pytest.approx(alone.item(), rel=0.02)


def test_identical_points_cost_nothing():
    x = torch.ones(1, 2, 3, requires_grad=True)
    value = sinkhorn_divergence(x, x.detach(), even(2), even(2))
    value.sum().backward()
    assert value.item() == pytest.approx(0, abs=1e-6)
    assert not x.grad.any()


def test_padding_gets_no_gradient():
    x, y = points(2, 4, 3).requires_grad_(True), points(2, 4, 3, seed=1)
    sinkhorn_divergence(x, y, even(4, 2), even(3, 4)).sum().backward()
    assert torch.isfinite(x.grad).all()
    assert not x.grad[1, 2:].any()
    assert x.grad[1, :2].any()


def test_the_plan_finds_a_permutation_and_splits_between_twins():
    x = 5 * torch.eye(4)
    order = [2, 0, 3, 1]
    plan = transport_plan(x[order] + 0.01, x)
    torch.testing.assert_close(plan, torch.eye(4)[order] / 4, atol=1e-4, rtol=0)
    twins = transport_plan(torch.tensor([[0.0], [9.0]]), torch.tensor([[0.0], [0.0], [9.0], [9.0]]))
    expected = torch.tensor([[0.25, 0.25, 0, 0], [0, 0, 0.25, 0.25]])
    torch.testing.assert_close(twins, expected, atol=1e-4, rtol=0)


def test_a_shift_by_hand():
    # Word one moves by (3, 4), word two by (0, 1), word three is padding: 25 + 1.
    before = torch.zeros(1, 3, 2)
    states = torch.tensor([[[3.0, 4.0], [0.0, 1.0], [7.0, 7.0]]])
    assert shift(states, before, even(2, width=3)).tolist() == [26.0]
