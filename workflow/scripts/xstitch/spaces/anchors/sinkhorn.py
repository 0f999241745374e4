"""Entropic optimal transport between two sets of points, in the log domain, a block of rows at a time.

The cost is the Euclidean distance, the weights are uniform: each side has a mass of one. The plan is never
stored: it follows from two vectors of potentials (u of rows, v of columns),

    plan_ij = exp((u_i + v_j - cost_ij) / eps)

and costs are recomputed, block by block, whenever they are needed. One block of rows is enough to finish its
u, so an iteration takes one sweep. If eps is small, few costs of a row matter: one pass takes the minimum of
each group of them, and exponentials are only taken in the groups near the row's minimum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch

from xstitch.spaces.settings.search import SinkhornSettings
from xstitch.spaces.tiles import slices

BLOCK_ROWS = 512
GROUP = 64  # adjacent columns whose minimum is taken first
REACH = 25.0  # a cost this many eps above the least one adds e^-25 of its share: nothing, in float32


class Potentials(NamedTuple):
    """What determines the plan: a number for every row and every column."""

    rows: torch.Tensor
    columns: torch.Tensor


class Matches(NamedTuple):
    """The heaviest column of every row of a plan, and the heaviest row of every column."""

    of_rows: torch.Tensor
    of_columns: torch.Tensor


def sinkhorn(rows: torch.Tensor, columns: torch.Tensor, settings: SinkhornSettings) -> Potentials:
    """Balance rows and columns in turn; the columns come last, so their marginals are exact."""
    return _balance(rows, columns, settings, settings.iterations)


def assign_columns(rows: torch.Tensor, columns: torch.Tensor, settings: SinkhornSettings) -> torch.Tensor:
    """Find the heaviest row of every column in the plan of `sinkhorn`.

    A column's own potential shifts all its entries equally, so the last balance of the columns is skipped
    and one iteration costs one sweep without exponentials of the whole plan.
    """
    v = _balance(rows, columns, settings, settings.iterations - 1).columns
    least = v.new_full((len(columns),), torch.inf)
    partners = torch.zeros(len(columns), dtype=torch.long, device=rows.device)
    for block, costs in _costs(rows, columns, v):
        u = soft_min(costs, settings.eps)
        _keep_least(least, partners, costs[:, : len(columns)].sub_(u[:, None]), block.start)
    return partners


def assign_both(rows: torch.Tensor, columns: torch.Tensor, potentials: Potentials) -> Matches:
    """Find the heaviest entries of a plan in both directions."""
    least = potentials.columns.new_full((len(columns),), torch.inf)
    of_columns = torch.zeros(len(columns), dtype=torch.long, device=rows.device)
    of_rows = []
    for block, costs in _costs(rows, columns, potentials.columns):
        of_rows.append(costs.argmin(dim=1))
        reduced = costs[:, : len(columns)].sub_(potentials.rows[block, None])
        _keep_least(least, of_columns, reduced, block.start)
    return Matches(torch.cat(of_rows), of_columns)


def soft_min(costs: torch.Tensor, eps: float) -> torch.Tensor:
    """Compute -eps log sum exp(-cost / eps) of each row; the width must be a multiple of GROUP."""
    grid = costs.unflatten(1, (-1, GROUP))
    minima = grid.amin(dim=2)
    least = minima.amin(dim=1)
    row, group = (minima <= least[:, None] + REACH * eps).nonzero(as_tuple=True)
    shares = grid[row, group].sub_(least[row, None]).div_(-eps).exp_().sum(dim=1)
    return least - eps * torch.zeros_like(least).index_add_(0, row, shares).log_()


def _balance(
    rows: torch.Tensor, columns: torch.Tensor, settings: SinkhornSettings, iterations: int
) -> Potentials:
    u, v = rows.new_zeros(len(rows)), rows.new_zeros(len(columns))
    for _ in range(iterations):
        new_u, new_v = _iterate(rows, columns, v, settings.eps)
        change = max(float((new - old).abs().max()) for new, old in ((new_u, u), (new_v, v)))
        u, v = new_u, new_v
        if change < settings.stop:
            break
    return Potentials(u, v)


def _iterate(
    rows: torch.Tensor, columns: torch.Tensor, v: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Balance the rows block by block, adding each finished block to the columns' sums."""
    parts, width = [], len(columns)
    least, sums = v.new_full((width,), torch.inf), v.new_zeros(width)
    for _, costs in _costs(rows, columns, v):
        u = soft_min(costs, eps) - eps * math.log(len(rows))
        reduced = costs[:, :width].sub_(u[:, None])
        lower = torch.minimum(least, reduced.amin(dim=0))
        sums.mul_(((lower - least) / eps).exp_()).add_(reduced.sub_(lower).div_(-eps).exp_().sum(dim=0))
        least = lower
        parts.append(u)
    # v is already subtracted from the costs: what balances them is added to it.
    return torch.cat(parts), v + least - eps * (sums.log() + math.log(width))


def _costs(
    rows: torch.Tensor, columns: torch.Tensor, v: torch.Tensor
) -> Iterator[tuple[slice, torch.Tensor]]:
    """Yield cost_ij - v_j by blocks of rows, padded with infinity to whole groups of columns.

    All blocks share one buffer that callers may overwrite: a block is valid until the next one.
    """
    # A common shift does not change distances, but float32 products lose digits to long vectors.
    centre = rows.mean(dim=0)
    left, right = _lifted(rows - centre, columns - centre)
    width = len(columns)
    buffer = rows.new_full((min(BLOCK_ROWS, len(rows)), width + -width % GROUP), torch.inf)
    shifted = bool(v.any())
    for block in slices(len(rows), BLOCK_ROWS):
        costs = buffer[: block.stop - block.start]
        inside = costs[:, :width]
        torch.mm(left[block], right.T, out=inside)
        inside.clamp_(min=0).sqrt_()
        if shifted:
            inside.sub_(v)
        yield block, costs


def _lifted(rows: torch.Tensor, columns: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Append two dimensions that make every dot product a squared distance."""
    squares = [side.square().sum(dim=1, keepdim=True) for side in (rows, columns)]
    left = torch.cat([-2 * rows, squares[0], torch.ones_like(squares[0])], dim=1)
    right = torch.cat([columns, torch.ones_like(squares[1]), squares[1]], dim=1)
    return left, right


def _keep_least(least: torch.Tensor, best_rows: torch.Tensor, values: torch.Tensor, start: int) -> None:
    """Update each column's least value and its row; only improved columns are searched for the row."""
    lower = values.amin(dim=0)
    better = (lower < least).nonzero().squeeze(1)
    least[better] = lower[better]
    best_rows[better] = start + values[:, better].argmin(dim=0)
