"""The critic, its penalty and its distance estimate."""

import pytest
import torch
from torch import nn

from xstitch.models.transfer.critic import (
    Critic,
    conditioned,
    critic_gap,
    gradient_norms,
    gradient_penalty,
    reverse_gradient,
    wasserstein_estimate,
)


class Linear(nn.Module):
    """f(z) = 3 z_1 - 4 z_2, whose gradient has norm 5 everywhere."""

    def forward(self, points):
        return points @ torch.tensor([3.0, -4.0])


def test_penalty_of_a_linear_function_is_its_squared_norm():
    torch.manual_seed(0)
    norms = gradient_norms(Linear(), torch.randn(6, 2), torch.randn(4, 2))
    assert norms.tolist() == pytest.approx([5.0] * 4)
    assert gradient_penalty(norms).item() == pytest.approx(25.0)


def test_gradients_are_taken_between_the_pairs():

    def square(points):  # its gradient is the point itself
        return points.square().sum(dim=1) / 2

    source, target = torch.zeros(200, 2), torch.tensor([[6.0, 8.0]]).repeat(200, 1)
    torch.manual_seed(0)
    norms = gradient_norms(square, source, target)
    assert 0 <= norms.min() < 1 and 9 < norms.max() <= 10
    assert norms.mean().item() == pytest.approx(5, abs=0.5)


def test_reversal_keeps_values_and_reverses_gradients():
    inputs = torch.tensor([1.0, 2.0], requires_grad=True)
    outputs = reverse_gradient(inputs, 0.5)
    assert outputs.tolist() == [1.0, 2.0]
    (3 * outputs).sum().backward()
    assert inputs.grad.tolist() == [-1.5, -1.5]


def test_conditioning_is_the_outer_product_and_sends_no_gradient_to_the_classifier():
    features = torch.tensor([[1.0, 2.0]], requires_grad=True)
    answers = torch.tensor([[0.25, 0.75]], requires_grad=True)
    product = conditioned(features, answers)
    assert product.tolist() == [[0.25, 0.5, 0.75, 1.5]]
    product.sum().backward()
    assert features.grad.tolist() == [[1.0, 1.0]] and answers.grad is None


def test_gap_weights_the_source():
    gap = critic_gap(torch.tensor([1.0, 3.0]), torch.tensor([2.0, 0.5]), torch.tensor([1.0]))
    assert gap.item() == pytest.approx((2 * 1 + 0.5 * 3) / 2 - 1)


def test_a_critic_bends():
    # Hidden units max(z, 0) and max(-z, 0), added up: the absolute value, which no linear function is.
    critic = Critic(1, 2)
    numbers = {"0.weight": [[1.0], [-1]], "0.bias": [0.0, 0], "2.weight": [[1.0, 1]], "2.bias": [0.0]}
    critic.layers.load_state_dict({name: torch.tensor(values) for name, values in numbers.items()})
    assert critic(torch.tensor([[2.0], [-3.0]])).tolist() == [2, 3]


def test_the_estimate_is_the_gap_of_a_critic_of_norm_one():
    assert wasserstein_estimate(torch.tensor(3.0), torch.tensor(0.25)).item() == pytest.approx(6)
    assert wasserstein_estimate(torch.tensor(3.0), torch.tensor(9.0)).item() == pytest.approx(1)


@pytest.mark.parametrize("shift", [[2.0, 0.0, 0.0], [3.0, -4.0, 0.0]])
def test_the_distance_of_shifted_gaussians_is_estimated(shift):
    """The true distance is the length of the shift."""
    torch.manual_seed(1)
    shift = torch.tensor(shift)
    critic = Critic(3, 32)
    optimiser = torch.optim.Adam(critic.parameters(), lr=5e-3)
    for _ in range(400):
        source, target = torch.randn(256, 3) + shift, torch.randn(256, 3)
        gap = critic_gap(critic(source), torch.ones(256), critic(target))
        penalty = gradient_penalty(gradient_norms(critic, source, target))
        optimiser.zero_grad()
        (penalty - gap).backward()
        optimiser.step()
    assert wasserstein_estimate(gap, penalty).item() == pytest.approx(shift.norm().item(), rel=0.1)
