"""Importance weights: solved, projected and updated."""

import logging

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from xstitch.models.transfer.importance import (
    ImportanceWeights,
    joint_counts,
    project,
    solve_weights,
    true_weights,
)

PRIOR = np.array([0.5, 0.3, 0.2])
TRUE = np.array([0.4, 1.0, 2.5])  # TRUE . PRIOR = 1
# p(prediction | label): one column per label, far from symmetric, so that C and its transpose differ.
CONFUSION = np.array([[0.8, 0.3, 0.1], [0.15, 0.6, 0.3], [0.05, 0.1, 0.6]])


def least_squares(joint, predicted, prior):
    """Solve the same problem with a general solver for constrained problems."""
    result = minimize(
        lambda w: np.square(predicted - joint @ w).sum(),
        np.ones(len(prior)),
        jac=lambda w: 2 * joint.T @ (joint @ w - predicted),
        bounds=[(0, None)] * len(prior),
        constraints={"type": "eq", "fun": lambda w: w @ prior - 1, "jac": lambda _: prior},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return result.x


def test_counts_pair_predictions_with_labels():
    counts = joint_counts(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2)
    assert counts.tolist() == [[1, 1], [0, 2]]
    # Classes that were never predicted have a row, too.
    assert joint_counts(np.array([0]), np.array([1]), 3).tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_weights_are_recovered_exactly_under_label_shift():
    joint = CONFUSION * PRIOR
    assert solve_weights(joint, joint @ TRUE) == pytest.approx(TRUE, abs=1e-9)
    # Counts of any size give the same weights.
    assert solve_weights(7 * joint, 3 * joint @ TRUE) == pytest.approx(TRUE, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_noisy_weights_agree_with_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.ones(16)).reshape(4, 4) + 0.1 * np.eye(4)
    joint /= joint.sum()
    predicted, prior = rng.dirichlet(np.full(4, 0.3)), joint.sum(axis=0)
    weights, expected = solve_weights(joint, predicted), least_squares(joint, predicted, prior)
    assert weights @ prior == pytest.approx(1)
    assert weights.min() >= 0
    assert weights == pytest.approx(expected, abs=1e-4)
    distance = [np.square(predicted - joint @ w).sum() for w in (weights, expected)]
    assert distance[0] <= distance[1] + 1e-12


def test_a_class_absent_from_the_source_has_weight_zero(caplog):
    joint = np.zeros((3, 3))
    joint[:, :2] = CONFUSION[:, :2] * [0.6, 0.4]
    with caplog.at_level(logging.WARNING, logger="xstitch"):
        weights = solve_weights(joint, joint @ [0.5, 1.75, 0])
    assert weights == pytest.approx([0.5, 1.75, 0], abs=1e-9)
    assert "weight 0: 2" in caplog.text
    assert true_weights(np.array([0.6, 0.4, 0]), np.array([0.3, 0.3, 0.4])) == pytest.approx(
        [0.5 / 0.6, 0.5 / 0.4, 0]
    )
    # Nothing of the target is in the source: nothing to weight by.
    assert true_weights(np.array([0.6, 0.4, 0]), np.array([0, 0, 1])).tolist() == [1, 1, 0]


def test_projection_by_hand():
    # Already legal.
    assert project(TRUE, PRIOR) == pytest.approx(TRUE)
    # 3 - t/2 on the first class alone: 0.5 (3 - t/2) = 1 gives t = 2; the second, -1 - 1, is cut.
    assert project(np.array([3.0, -1.0]), np.array([0.5, 0.5])) == pytest.approx([2, 0])
    # Both stay: t = (0.25 * 2 + 0.75 * 2 - 1) / (0.25^2 + 0.75^2) = 1.6.
    assert project(np.array([2.0, 2.0]), np.array([0.25, 0.75])) == pytest.approx([1.6, 0.8])
    assert project(np.array([5.0, 3.0]), np.array([1.0, 0.0])) == pytest.approx([1, 0])


@pytest.mark.parametrize("seed", range(5))
def test_projection_is_the_nearest_legal_point(seed):
    rng = np.random.default_rng(seed)
    point, prior = rng.normal(1, 2, size=5), rng.dirichlet(np.ones(5))
    expected = least_squares(np.eye(5), point, prior)
    assert project(point, prior) == pytest.approx(expected, abs=1e-5)


def test_trained_weights_reach_the_solution():
    joint = CONFUSION * PRIOR
    weights = ImportanceWeights(joint, joint @ TRUE, np.ones(3), momentum=0.0)
    optimiser = torch.optim.SGD(weights.parameters(), lr=5.0)
    for _ in range(100):
        optimiser.zero_grad()
        weights.loss().backward()
        optimiser.step()
        weights.settle()
    assert weights.weights.numpy() == pytest.approx(TRUE, abs=1e-3)
    assert weights.target_prior().numpy() == pytest.approx(TRUE * PRIOR, abs=1e-3)


def test_statistics_move_by_the_momentum():
    weights = ImportanceWeights(np.array([[4, 0], [0, 4]]), np.array([4, 4]), np.ones(2), momentum=0.25)
    weights.observe(torch.tensor([0, 0, 0, 1]), torch.tensor([0, 0, 1, 1]), torch.tensor([1, 1, 1, 1]))
    assert weights.joint.tolist() == [[3.5, 0.25], [0, 3.25]]
    assert weights.predicted.tolist() == [3.0, 4.0]


def test_settled_weights_are_legal_whatever_numbers_they_started_from():
    weights = ImportanceWeights(np.array([[4, 0], [0, 4]]), np.array([4, 4]), np.array([1, 1]), momentum=0.25)
    with torch.no_grad():
        weights.offset += torch.tensor([1.0, -0.3])
    weights.settle()
    # From 2 and 0.7: t = (0.5 * 2 + 0.5 * 0.7 - 1) / (0.5^2 + 0.5^2) = 0.7, half of which is taken off.
    assert weights.weights.tolist() == pytest.approx([1.65, 0.35])
