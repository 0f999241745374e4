"""Gradients of several losses at the same weights, compared layer by layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from xstitch.training.devices import move
from xstitch.training.loop import Batches

ALL = "all"  # stands for all layers together


class Comparison(NamedTuple):
    """The cosine of two gradients and the norm of each; without a direction of both, the cosine is NaN."""

    cosine: float
    first_norm: float
    second_norm: float


def mean_gradient(
    loss: Callable[[Any], torch.Tensor], batches: Batches, number: int, parameters: Sequence[nn.Parameter]
) -> list[torch.Tensor]:
    """Average a loss's gradient over its next batches, with zeros for parameters that it does not reach.

    Parameters and the gradients that an optimiser has gathered for them stay as they are.
    """
    total = [torch.zeros_like(parameter) for parameter in parameters]
    for _ in range(number):
        value = loss(move(next(batches), parameters[0].device))
        gradients = torch.autograd.grad(value, parameters, allow_unused=True)
        for mean, gradient in zip(total, gradients, strict=True):
            if gradient is not None:
                mean.add_(gradient, alpha=1 / number)
    return total


def compare(
    first: Sequence[torch.Tensor], second: Sequence[torch.Tensor], layers: Sequence[str]
) -> dict[str, Comparison]:
    """Compare two gradients in each layer and in all of them; `layers` has the layer of every tensor."""
    products: dict[str, np.ndarray] = {layer: np.zeros(3) for layer in (ALL, *layers)}
    for layer, one, other in zip(layers, first, second, strict=True):
        one, other = one.flatten().double(), other.flatten().double()
        found = [(one @ other).item(), (one @ one).item(), (other @ other).item()]
        for name in (ALL, layer):
            products[name] += found
    return {layer: _comparison(*found) for layer, found in products.items()}


def _comparison(product: float, first: float, second: float) -> Comparison:
    norms = math.sqrt(first), math.sqrt(second)
    return Comparison(product / math.prod(norms) if all(norms) else math.nan, *norms)


def evenly_spaced(steps: int, points: int) -> list[int]:
    """Choose numbers of updates from none to all, as far apart as each other; of few updates, every one."""
    return np.unique(np.linspace(0, steps, points).round().astype(int)).tolist()
