"""Importance weights of classes under a shift of their priors.

The weight of a class is its share in the target data divided by its share in the source data. If the features
of a class do not depend on the language, the weights solve

    p_T(prediction) = C w,   C = p_S(prediction, label),   w >= 0,   w . p_S = 1,

so the classifier's predictions on unlabelled target data suffice to find them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
import torch
from scipy.optimize import nnls
from torch import nn

LOG = logging.getLogger("xstitch")


def joint_counts(predicted: np.ndarray, gold: np.ndarray, classes: int) -> np.ndarray:
    """Count how often each prediction (row) occurs with each label (column)."""
    return np.bincount(predicted * classes + gold, minlength=classes**2).reshape(classes, classes)


def solve_weights(joint: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Find the w >= 0 with w . p_S = 1 for which C w is nearest to the target's predictions.

    `joint` and `predicted` may be counts. A class absent from the source gets weight 0 and a warning.

    With v = w p_S, a point of the simplex, and A = C / p_S, the residual is B v, B = predicted 1' - A.
    Least squares over u >= 0 of |B u|^2 + (1'u - 1)^2 has, along any direction v, the minimum
    |Bv|^2 / (1 + |Bv|^2), which grows with |Bv|: its solution has exactly the constrained one's direction.
    """
    joint, predicted = joint / joint.sum(), predicted / predicted.sum()
    prior = joint.sum(axis=0)
    present = warn_of_absent(prior)
    residual = predicted[:, None] - joint[:, present] / prior[present]
    ones = np.ones((1, residual.shape[1]))
    solution, _ = nnls(np.concatenate([residual, ones]), np.append(np.zeros(len(residual)), 1.0))
    weights = np.zeros(len(prior))
    weights[present] = solution / solution.sum() / prior[present]
    return weights


def true_weights(source_prior: np.ndarray, target_prior: np.ndarray) -> np.ndarray:
    """Divide the priors, which gives an oracle's weights. A class absent from the source gets weight 0.

    No weighting can make up for the target's share of such classes; the others share it, so that w . p_S
    stays 1.
    """
    present = warn_of_absent(source_prior)
    shared = np.where(present, target_prior, 0.0)
    shared = shared / shared.sum() if shared.sum() else source_prior
    return np.divide(shared, source_prior, out=np.zeros(len(shared)), where=present)


def warn_of_absent(prior: np.ndarray, names: Sequence[str] | None = None) -> np.ndarray:
    """Mark the classes that the source has and warn of those it lacks."""
    absent = np.flatnonzero(prior <= 0)
    if len(absent):
        listed = ", ".join(str(names[i]) if names else str(i) for i in absent)
        LOG.warning("classes absent from the source data get weight 0: %s", listed)
    return prior > 0


def project(weights: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the nearest point (Euclidean) with w >= 0 and w . prior = 1; classes of prior 0 get weight 0.

    It is max(w - t p, 0) for the one t that satisfies the equation. The classes that stay above 0 are
    those with the largest w / p, so there is one candidate for t per class.
    """
    present = prior > 0
    w, p = weights[present], prior[present]
    order = np.argsort(-w / p, kind="stable")
    thresholds = (np.cumsum((w * p)[order]) - 1) / np.cumsum((p**2)[order])
    last = np.flatnonzero((w / p)[order] > thresholds)[-1]
    projected = np.zeros(len(weights))
    projected[present] = np.maximum(w - thresholds[last] * p, 0)
    return projected


class ImportanceWeights(nn.Module):
    """Weights that follow a classifier as it changes: w = start + offset, and the offset is trained.

    `loss` is |q - C w|^2 on running statistics C, q of hard predictions; the optimiser's decay of the offset
    is the paper's pull towards the start; `settle` makes w legal again. Statistics and start are buffers, so
    that checkpoints include them.
    """

    def __init__(self, joint: np.ndarray, predicted: np.ndarray, start: np.ndarray, momentum: float) -> None:
        super().__init__()
        self.momentum = momentum
        self.offset = nn.Parameter(torch.zeros(len(start), dtype=torch.float64))
        self.register_buffer("start", torch.as_tensor(start, dtype=torch.float64))
        self.register_buffer("prior", torch.as_tensor(joint.sum(axis=0) / joint.sum(), dtype=torch.float64))
        self.register_buffer("joint", torch.as_tensor(joint, dtype=torch.float64))
        self.register_buffer("predicted", torch.as_tensor(predicted, dtype=torch.float64))

    @property
    def weights(self) -> torch.Tensor:
        """The current weights, without a gradient."""
        return (self.start + self.offset).detach()

    def target_prior(self) -> torch.Tensor:
        """Return the target's class priors that the weights imply."""
        return self.weights * self.prior

    @torch.no_grad()
    def observe(self, source: torch.Tensor, gold: torch.Tensor, target: torch.Tensor) -> None:
        """Move the running counts towards a batch's: source predictions and labels, target predictions."""
        classes = len(self.start)
        pairs = torch.bincount(source * classes + gold, minlength=classes**2).view(classes, classes)
        self.joint.lerp_(pairs.to(self.joint), self.momentum)
        self.predicted.lerp_(torch.bincount(target, minlength=classes).to(self.predicted), self.momentum)

    def loss(self) -> torch.Tensor:
        """Return the squared distance of C w from the predictions; only the offset gets a gradient."""
        joint, predicted = self.joint / self.joint.sum(), self.predicted / self.predicted.sum()
        return (predicted - joint @ (self.start + self.offset)).square().sum()

    @torch.no_grad()
    def settle(self) -> None:
        """Project the weights onto w >= 0, w . p_S = 1."""
        projected = project(self.weights.cpu().numpy(), self.prior.cpu().numpy())
        self.offset.copy_(torch.from_numpy(projected).to(self.start) - self.start)
