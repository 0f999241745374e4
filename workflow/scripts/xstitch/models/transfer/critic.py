"""An adversarial critic of two languages' features: a Wasserstein-1 distance to train against."""

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
    """Identity forwards; backwards the gradient times a negative factor."""

    @staticmethod
    def forward(context: Any, inputs: torch.Tensor, factor: float) -> torch.Tensor:
        context.factor = factor
        return inputs.view_as(inputs)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return -context.factor * gradient, None


def reverse_gradient(inputs: torch.Tensor, factor: float) -> torch.Tensor:
    """Pass inputs on; what lies before them is trained to raise, by `factor`, the loss that follows."""
    return _Reversal.apply(inputs, factor)


def conditioned(features: torch.Tensor, probabilities: torch.Tensor) -> torch.Tensor:
    """Return the outer product of each feature and the classifier's answer, flat (items x classes*width).

    The answers are taken as given: no gradient reaches the classifier through them.
    """
    return (probabilities.detach().unsqueeze(2) * features.unsqueeze(1)).flatten(1)


def critic_gap(
    scores_source: torch.Tensor, weights: torch.Tensor, scores_target: torch.Tensor
) -> torch.Tensor:
    """Mean score of the source items, weighted, less that of the target items: what the critic raises."""
    return (weights * scores_source).mean() - scores_target.mean()


def gradient_norms(critic: nn.Module, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Norms of the critic's gradient at random points between pairs of source and target inputs.

    The longer side is cut: pairs are as many as the shorter one has items.
    """
    count = min(len(source), len(target))
    shares = torch.rand(count, 1, device=source.device)
    points = torch.lerp(source[:count].detach(), target[:count].detach(), shares).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(points).sum(), points, create_graph=True)
    return gradient.norm(dim=1)


def gradient_penalty(norms: torch.Tensor) -> torch.Tensor:
    """Mean squared norm: centred at zero, as a critic near its optimum between alike languages is flat."""
    return norms.square().mean()


def wasserstein_estimate(gap: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
    """Estimate the Wasserstein-1 distance: the gap of the critic scaled to a gradient of norm one.

    The penalty lets the critic be as steep as pays, not one; where its gradient is the same everywhere
    (a mere shift between the languages) the quotient is the distance itself.
    """
    return gap / penalty.sqrt().clamp(min=1e-12)
