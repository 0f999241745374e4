"""Transport: values by hand, an independent solver, padding without weight, gradients, plans."""

import numpy as np
import ot
import pytest
import torch

from xstitch.core.errors import InputError
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


def textbook_plan(x, y, power, eps, steps=4000):
    """Compute a plan by scaling rows and columns in turn (Cuturi, 2013), in float64."""
    x, y = (side.double().numpy() for side in (x, y))
    costs = np.linalg.norm(x[:, None] - y[None], axis=2) ** power / power
    kernel = np.exp(-(costs - costs.min()) / eps)
    rows, columns = np.ones(len(x)), np.ones(len(y))
    for _ in range(steps):
        rows = 1 / len(x) / (kernel @ columns)
        columns = 1 / len(y) / (kernel.T @ rows)
    return rows[:, None] * kernel * columns


def textbook_divergence(x, y, power, eps):
    """Compute the debiased divergence from plans: cost plus eps times the divergence from independence."""

    def cost(a, b):
        plan = textbook_plan(a, b, power, eps)
        costs = (
            np.linalg.norm(a.double().numpy()[:, None] - b.double().numpy()[None], axis=2) ** power / power
        )
        return (plan * costs).sum() + eps * (plan * np.log(plan * len(a) * len(b))).sum()

    return cost(x, y) - cost(x, x) / 2 - cost(y, y) / 2


@pytest.mark.parametrize(("cost", "power"), [("squared", 2), ("euclidean", 1)])
@pytest.mark.parametrize("blur", [1.0, 2.0])  # at less, GeomLoss' few steps are inaccurate
def test_the_divergence_is_that_of_an_independent_solver(blur, cost, power):
    x, y = points(9, 4), points(7, 4, seed=1) + 0.5
    expected = textbook_divergence(x, y, power, blur**power)
    divergence = sinkhorn_divergence(x[None], y[None], even(9), even(7), blur, cost).item()
    assert divergence == pytest.approx(expected, rel=0.02)
    # Another eps, the other cost and a cost that is not debiased are further away than GeomLoss' few steps.
    wrong = [
        textbook_divergence(x, y, power, 2 * blur**power),
        textbook_divergence(x, y, 3 - power, blur ** (3 - power)),
        divergence_with_bias(x, y, power, blur**power),
    ]
    assert min(abs(other - expected) for other in wrong) > 0.03 * abs(expected)


def divergence_with_bias(x, y, power, eps):
    plan = textbook_plan(x, y, power, eps)
    costs = np.linalg.norm(x.double().numpy()[:, None] - y.double().numpy()[None], axis=2) ** power / power
    return (plan * costs).sum() + eps * (plan * np.log(plan * len(x) * len(y))).sum()


def test_euclidean_costs_by_hand():
    # From the origin to (3, 4): 5, with a gradient of one in the opposite direction.
    x, y = torch.zeros(1, 1, 2, requires_grad=True), torch.tensor([[[3.0, 4.0]]])
    value = sinkhorn_divergence(x, y, even(1), even(1), cost="euclidean")
    assert value.item() == pytest.approx(5, abs=2e-4)  # GeomLoss' least distance is 1e-4
    value.sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([[[-0.6, -0.8]]]))
    # One to two, as above: 2 minus half of eps log 2, and eps is the blur itself.
    x, y = torch.zeros(1, 1, 1), torch.tensor([[[2.0], [-2.0]]])
    value = sinkhorn_divergence(x, y, even(1), even(2), blur=0.05, cost="euclidean")
    assert value.item() == pytest.approx(2 - 0.05 * np.log(2) / 2, abs=1e-4)


def test_the_gradient_is_finite_where_points_coincide():
    x = torch.ones(1, 3, 4, requires_grad=True)
    sinkhorn_divergence(x, torch.ones(1, 2, 4), even(3), even(2), cost="euclidean").sum().backward()
    assert torch.isfinite(x.grad).all()


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


def test_a_plan_moves_all_mass_from_a_permutation_and_splits_it_between_twins():
    x = 5 * torch.eye(4)
    order = [2, 0, 3, 1]
    plan = transport_plan(x[order] + 0.01, x)
    np.testing.assert_allclose(plan, np.eye(4)[order] / 4, atol=1e-6)
    twins = transport_plan(torch.tensor([[0.0], [9.0]]), torch.tensor([[0.0], [0.0], [9.0], [9.0]]))
    np.testing.assert_allclose(twins, [[0.25, 0.25, 0, 0], [0, 0, 0.25, 0.25]], atol=1e-6)


def test_a_plan_between_two_and_three_by_hand():
    # Halves at 0 and 10, thirds at 0, 4 and 10: the middle third comes from both, a sixth each.
    plan = transport_plan(torch.tensor([[0.0], [10.0]]), torch.tensor([[0.0], [4.0], [10.0]]))
    np.testing.assert_allclose(plan, [[1 / 3, 1 / 6, 0], [0, 1 / 6, 1 / 3]], atol=1e-6)


def test_a_smooth_plan_by_hand():
    # Points 0 and 1 to 0 and 1 with eps 1: plan entries e^(-cost) / Z for costs 0 and 1/2, or 0 and 1.
    line = torch.tensor([[0.0], [1.0]])
    for cost, away in (("squared", np.exp(-0.5)), ("euclidean", np.exp(-1))):
        expected = np.array([[1, away], [away, 1]]) / (2 + 2 * away)
        np.testing.assert_allclose(transport_plan(line, line, blur=1.0, cost=cost), expected, atol=1e-9)
    # With blur 1/2, eps is 1/4 for squared distances and 1/2 for distances: e^(-2) for both costs.
    expected = np.array([[1, np.exp(-2)], [np.exp(-2), 1]]) / (2 + 2 * np.exp(-2))
    for cost in ("squared", "euclidean"):
        np.testing.assert_allclose(transport_plan(line, line, blur=0.5, cost=cost), expected, atol=1e-9)


def sentence_states(source, target, width, seed):
    """Make states of two sentences: words that correspond are closer to each other than to the rest."""
    x, y = 0.5 * points(source, width, seed=seed), 0.5 * points(target, width, seed=seed + 100)
    common = min(source, target)
    y[:common] = x[:common] + 0.25 * points(common, width, seed=seed + 200)
    return x, y


@pytest.mark.parametrize("cost", ["squared", "euclidean"])
@pytest.mark.parametrize(
    ("source", "target", "width"),
    [
        (1, 1, 4),
        (1, 9, 4),
        (13, 1, 64),
        (4, 20, 768),
        (20, 13, 768),
        (17, 20, 64),
        (20, 25, 768),
        (60, 80, 64),
    ],
)
def test_a_plan_has_its_marginals_and_nearly_the_least_cost(source, target, width, cost):
    x, y = sentence_states(source, target, width, seed=source)
    plan = transport_plan(x, y, cost=cost)
    np.testing.assert_allclose(plan.sum(axis=1), 1 / source, rtol=1e-4)
    np.testing.assert_allclose(plan.sum(axis=0), 1 / target, rtol=1e-4)
    assert (plan >= 0).all()
    # Costs by numpy, the optimum by POT's network simplex; entropy costs at most eps log(words).
    costs = np.linalg.norm(x.double().numpy()[:, None] - y.double().numpy()[None], axis=2)
    costs = costs**2 / 2 if cost == "squared" else costs
    optimum = ot.emd2(np.full(source, 1 / source), np.full(target, 1 / target), costs)
    eps = {"squared": 0.0025, "euclidean": 0.05}[cost]
    slack = 1e-4 * costs.max()
    assert optimum - slack <= (plan * costs).sum() <= optimum + eps * np.log(min(source, target)) + slack


def test_a_plans_cost_goes_to_the_optimum_with_eps():
    x, y = sentence_states(9, 12, 8, seed=3)
    costs = np.linalg.norm(x.double().numpy()[:, None] - y.double().numpy()[None], axis=2) ** 2 / 2
    optimum = ot.emd2(np.full(9, 1 / 9), np.full(12, 1 / 12), costs)
    gaps = [(transport_plan(x, y, blur) * costs).sum() - optimum for blur in (2.0, 1.0, 0.5, 0.2, 0.05)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.05
    assert abs(gaps[-1]) < 1e-4


def test_a_plan_is_that_of_an_independent_sinkhorn():
    x, y = sentence_states(6, 9, 5, seed=5)
    for cost, power in (("squared", 2), ("euclidean", 1)):
        plan = transport_plan(x, y, blur=0.4, cost=cost)
        np.testing.assert_allclose(plan, textbook_plan(x, y, power, 0.4**power), atol=1e-7)


def test_a_plan_that_does_not_converge_is_refused():
    x, y = sentence_states(17, 20, 64, seed=1)
    with pytest.raises(InputError, match=r"^transport plan of 17 x 20 words: a word misses .* larger blur"):
        transport_plan(1e3 * x, 1e3 * y, blur=1e-4, levels=40)


def test_the_solver_gets_costs_eps_and_limits(monkeypatch):
    seen = {}

    def solve(rows, columns, costs, eps, **limits):
        seen.update(limits, rows=rows.tolist(), columns=columns.tolist(), costs=costs.tolist(), eps=eps)
        return np.outer(rows, columns)

    monkeypatch.setattr(ot.bregman, "sinkhorn_epsilon_scaling", solve)
    transport_plan(torch.zeros(1, 1), torch.tensor([[2.0], [-4.0]]), blur=0.5, levels=7)
    assert seen == {
        "rows": [1],
        "columns": [0.5, 0.5],
        "costs": [[2, 8]],
        "eps": 0.25,
        "numItermax": 7,
        "numInnerItermax": 1000,
        "stopThr": 1e-12,
    }


@pytest.mark.parametrize("wrong", [[[0.5, 0], [0.5, 0]], [[0.5, 0.5], [0, 0]]])
def test_a_plan_must_have_the_mass_of_its_rows_and_of_its_columns(monkeypatch, wrong):
    monkeypatch.setattr(ot.bregman, "sinkhorn_epsilon_scaling", lambda *_, **__: np.array(wrong))
    with pytest.raises(InputError, match="a word misses 1 of its mass"):
        transport_plan(torch.zeros(2, 1), torch.zeros(2, 1))


def test_a_shift_by_hand():
    # Word one moves by (3, 4), word two by (0, 1), word three is padding: 25 + 1.
    before = torch.zeros(1, 3, 2)
    states = torch.tensor([[[3.0, 4.0], [0.0, 1.0], [7.0, 7.0]]])
    assert shift(states, before, even(2, width=3)).tolist() == [26.0]
