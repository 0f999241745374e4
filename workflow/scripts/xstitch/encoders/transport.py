"""Optimal transport between the words of sentences: the divergence that WordOT minimises, and its plan.

Problems are batched: one per row, padded with points that have no weight. GeomLoss solves them, with cost
|x - y|^2 / 2 and eps = blur^2.
"""

from __future__ import annotations

import torch
from geomloss import SamplesLoss

from xstitch.encoders.settings.wordot import BLUR

CAREFUL = 0.95  # GeomLoss' scaling when the plan itself is wanted: many small steps towards eps


def sinkhorn_divergence(
    x: torch.Tensor, y: torch.Tensor, x_weights: torch.Tensor, y_weights: torch.Tensor, blur: float = BLUR
) -> torch.Tensor:
    """Compute each problem's debiased cost: x, y (problems x points x width), weights of sum one."""
    # GeomLoss would also measure points without weight.
    diameter = max(blur, _diameter(torch.cat([x[x_weights > 0], y[y_weights > 0]])))
    solver = SamplesLoss("sinkhorn", p=2, blur=blur, diameter=diameter, backend="tensorized")
    # In bf16 the rounding errors of costs would exceed eps.
    with torch.autocast(x.device.type, enabled=False):
        return solver(x_weights, x.float(), y_weights, y.float())


def _diameter(points: torch.Tensor) -> float:
    """Compute the diagonal of the box around all points: where GeomLoss starts on its way to eps."""
    points = points.detach().float()
    return (points.amax(dim=0) - points.amin(dim=0)).norm().item()


def transport_plan(x: torch.Tensor, y: torch.Tensor, blur: float = BLUR) -> torch.Tensor:
    """Compute the plan between two clouds of equal weights (points x points); each row has the same mass."""
    solver = SamplesLoss(
        "sinkhorn", p=2, blur=blur, scaling=CAREFUL, debias=False, potentials=True, backend="tensorized"
    )
    u, v = solver(x.float(), y.float())
    costs = torch.cdist(x.float(), y.float()).square() / 2
    plan = ((u.view(-1, 1) + v.view(1, -1) - costs) / blur**2).softmax(dim=1)
    return plan / len(x)


def shift(states: torch.Tensor, before: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Sum the squared distances by which each problem's words moved; those without weight do not count."""
    squares = (states.float() - before.float()).square().sum(dim=-1)
    return torch.where(weights > 0, squares, 0).sum(dim=1)
