"""An adversarial critic of two languages' features: it estimates the Wasserstein-1 distance between them."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Critic(nn.Module):
    """A ReLU network with one hidden layer; it learns to score the source high and the target low."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Score features (items x width)."""
        return self.layers(inputs).squeeze(1)


class _Reversal(torch.autograd.Function):
    """The identity going forward; going backward, the gradient times a negative factor."""

    @staticmethod
    def forward(context: Any, inputs: torch.Tensor, factor: float) -> torch.Tensor:
        context.factor = factor
        return inputs.view_as(inputs)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return -context.factor * gradient, None


def reverse_gradient(inputs: torch.Tensor, factor: float) -> torch.Tensor:
    """Pass inputs on unchanged; layers before them are trained to raise the loss, scaled by `factor`."""
    return _Reversal.apply(inputs, factor)


def conditioned(features: torch.Tensor, probabilities: torch.Tensor) -> torch.Tensor:
    """Return the flat outer product of features and the classifier's probabilities (items x classes*width).

    The probabilities are taken as constants: no gradient reaches the classifier through them.
    """
    return (probabilities.detach().unsqueeze(2) * features.unsqueeze(1)).flatten(1)


def critic_gap(
    scores_source: torch.Tensor, weights: torch.Tensor, scores_target: torch.Tensor
) -> torch.Tensor:
    """Return what the critic raises: the weighted mean score of the source minus the target's mean score."""
    return (weights * scores_source).mean() - scores_target.mean()


def gradient_norms(critic: nn.Module, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the norms of the critic's gradient at random points between pairs of source and target inputs.

    There are as many pairs as the shorter side has items; the rest of the longer side is not used.
    """
    count = min(len(source), len(target))
    shares = torch.rand(count, 1, device=source.device)
    points = torch.lerp(source[:count].detach(), target[:count].detach(), shares).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(points).sum(), points, create_graph=True)
    return gradient.norm(dim=1)


def gradient_penalty(norms: torch.Tensor) -> torch.Tensor:
    """Return the mean squared norm; it is centred at zero as the best critic of equal languages is flat."""
    return norms.square().mean()


def wasserstein_estimate(gap: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
    """Estimate the Wasserstein-1 distance: the gap of the critic scaled to a gradient of norm one.

    The penalty does not hold the gradient's norm at one, so the gap is divided by it; if the gradient is the
    same everywhere (a mere shift between the languages), the quotient is the exact distance.
    """
    return gap / penalty.sqrt().clamp(min=1e-12)
