"""Optimal transport between clouds of words: the divergence that WordOT minimises, and its plan.

The cost of moving a word is half its squared distance, with eps = blur^2, or its distance, with eps = blur
(GeomLoss' p = 2 and p = 1).
"""

from __future__ import annotations

import warnings

import numpy as np
import ot
import torch
from geomloss import SamplesLoss

from xstitch.core.errors import InputError
from xstitch.encoders.settings.wordot import BLUR, Cost

POWERS: dict[Cost, int] = {"squared": 2, "euclidean": 1}
LEVELS, STEPS = 1000, 1000  # of eps on the way down (POT reaches the last after 35), and steps at each
CONVERGED = 1e-12  # POT stops at this squared error of the marginals
EXACT = "donot_use_mm_for_euclid_dist"
TOLERANCE = 1e-4  # a plan whose rows or columns miss a larger share of their mass is refused


def sinkhorn_divergence(
    x: torch.Tensor,
    y: torch.Tensor,
    x_weights: torch.Tensor,
    y_weights: torch.Tensor,
    blur: float = BLUR,
    cost: Cost = "squared",
) -> torch.Tensor:
    """Compute each problem's debiased cost: x, y (problems x points x width), weights of sum one.

    Problems are padded with points that have no weight.
    """
    # GeomLoss would also measure points without weight.
    diameter = max(blur, _diameter(torch.cat([x[x_weights > 0], y[y_weights > 0]])))
    solver = SamplesLoss("sinkhorn", p=POWERS[cost], blur=blur, diameter=diameter, backend="tensorized")
    # In bf16 the rounding errors of costs would exceed eps.
    with torch.autocast(x.device.type, enabled=False):
        return solver(x_weights, x.float(), y_weights, y.float())


def _diameter(points: torch.Tensor) -> float:
    """Compute the diagonal of the box around all points: where GeomLoss starts on its way to eps."""
    points = points.detach().float()
    return (points.amax(dim=0) - points.amin(dim=0)).norm().item()


def transport_plan(
    x: torch.Tensor, y: torch.Tensor, blur: float = BLUR, cost: Cost = "squared", levels: int = LEVELS
) -> np.ndarray:
    """Compute the plan between two clouds of equal weights (points x points).

    GeomLoss takes a fixed number of steps, which is enough for a cost, but not for a plan: its columns would
    have up to 40 % too little or too much mass. POT lowers eps slowly until the marginals are right.
    """
    costs = move_costs(x, y, cost)
    weights = [np.full(size, 1 / size) for size in costs.shape]
    limits = {"numItermax": levels, "numInnerItermax": STEPS, "stopThr": CONVERGED}
    with warnings.catch_warnings(action="ignore"):  # levels before the last need not converge
        plan = ot.bregman.sinkhorn_epsilon_scaling(*weights, costs, blur ** POWERS[cost], **limits)
    missed = max(np.abs(plan.sum(axis=1 - axis) / weights[axis] - 1).max() for axis in (0, 1))
    if not missed <= TOLERANCE:  # also if it is not a number
        raise InputError(
            f"transport plan of {len(x)} x {len(y)} words: a word misses {missed:.2g} of its mass after "
            f"{levels} levels; use a larger blur than {blur}"
        )
    return plan


def move_costs(x: torch.Tensor, y: torch.Tensor, cost: Cost) -> np.ndarray:
    """Compute what it costs to move each point of a cloud to each point of another."""
    distances = torch.cdist(*(side.detach().cpu().double() for side in (x, y)), compute_mode=EXACT).numpy()
    return distances**2 / 2 if cost == "squared" else distances


def shift(states: torch.Tensor, before: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Sum the squared distances by which each problem's words moved; those without weight do not count."""
    squares = (states.float() - before.float()).square().sum(dim=-1)
    return torch.where(weights > 0, squares, 0).sum(dim=1)
