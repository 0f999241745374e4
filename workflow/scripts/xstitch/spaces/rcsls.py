"""RCSLS: a linear map trained on the retrieval criterion itself (Joulin et al. 2018).

The relaxed CSLS loss of unit vectors x_i, y_i of a dictionary and a map W, with neighbours over both
vocabularies and mapped vectors that are not rescaled:

    mean of  -2 x_i W y_i  +  mean of x_i W y_j over the k nearest y_j of x_i W
                           +  mean of x_j W y_i over the k nearest x_j W of y_i

Sums of the k largest products are convex in W; the sub-gradient keeps the neighbours fixed. The paper has two
variants: W unconstrained (better in its tables, the default), or in the unit ball of the spectral norm, the
convex hull of the orthogonal matrices.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import torch

from xstitch.core.progress import progress
from xstitch.spaces.neighbours import nearest, to_device
from xstitch.spaces.settings.alignment import RcslsSettings
from xstitch.spaces.vecmap import check_spaces, dictionary_rows, orthogonal_map
from xstitch.vectors.table import Vectors, unit_rows

LOG = logging.getLogger("xstitch")
SMALLEST_STEP = 1e-4


@dataclass(frozen=True)
class Pairs:
    """The dictionary's vectors, and the vocabularies that supply neighbours."""

    x: torch.Tensor
    y: torch.Tensor
    source: torch.Tensor
    target: torch.Tensor


@dataclass(frozen=True)
class RcslsAlignment:
    """Mapped source, unit target, and the loss before the first and after each iteration."""

    source: np.ndarray
    target: np.ndarray
    losses: list[float]


def align_rcsls(
    source: Vectors, target: Vectors, dictionary: pa.Table, settings: RcslsSettings
) -> RcslsAlignment:
    """Train the map from the Procrustes solution on a dictionary (table with source, target)."""
    check_spaces(source, target)
    x, z = (unit_rows(side.matrix.astype(np.float32, copy=False)) for side in (source, target))
    rows = dictionary_rows(dictionary, source, target)
    start = to_device(orthogonal_map(x, z, rows))
    limit = settings.neighbours
    pairs = Pairs(*map(to_device, (x[rows[:, 0]], z[rows[:, 1]], x[:limit], z[:limit])))
    best, losses = descend(pairs, start, settings)
    return RcslsAlignment(x @ best.cpu().numpy(), z, losses)


def descend(pairs: Pairs, start: torch.Tensor, settings: RcslsSettings) -> tuple[torch.Tensor, list[float]]:
    """Take steps down the sub-gradient; a step that does not lower the loss is undone and halved."""
    current, step = start, settings.step
    loss, slope = relaxed_csls(pairs, current, settings.k)
    losses = [loss]
    for number in progress(range(1, settings.iterations + 1), "RCSLS", unit="iteration"):
        trial = _constrained(current - step * slope, settings.constraint)
        trial_loss, trial_slope = relaxed_csls(pairs, trial, settings.k)
        if trial_loss < loss:
            current, loss, slope = trial, trial_loss, trial_slope
        else:
            step /= 2
        losses.append(loss)
        LOG.info("RCSLS iteration %d: loss %.5f, step %g", number, loss, step)
        if step < SMALLEST_STEP:
            break
    return current, losses


def relaxed_csls(pairs: Pairs, w: torch.Tensor, k: int) -> tuple[float, torch.Tensor]:
    """Compute the loss and its sub-gradient."""
    mapped = pairs.x @ w
    of_x = nearest(mapped, pairs.target, k)
    of_y = nearest(pairs.y, pairs.source @ w, k)
    fit = 2 * (mapped * pairs.y).sum(dim=1).double().mean()
    loss = of_x.values.double().mean() + of_y.values.double().mean() - fit
    slope = pairs.x.T @ (_means(pairs.target, of_x.indices) - 2 * pairs.y)
    slope += _means(pairs.source, of_y.indices).T @ pairs.y
    return float(loss), slope / len(pairs.x)


def _means(rows: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    """Average the rows named by each row of indices, without a pairs x k x d intermediate."""
    return torch.nn.functional.embedding_bag(indices, rows, mode="mean")


def _constrained(w: torch.Tensor, constraint: str) -> torch.Tensor:
    """Project onto the unit ball of the spectral norm: singular values above 1 become 1."""
    if constraint == "none":
        return w
    u, s, vt = torch.linalg.svd(w)
    return (u * s.clamp(max=1)) @ vt
