"""Attention among the tokens of each of many packed sequences: no padding, so no masks.

Packed sequences are the rows of one matrix, a token a row. Sequences of one length are computed together, as
many as a core's cache has room for; a single one is computed where it is, without a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from xstitch.encoders.packed.dropout import Draws, drop_, factors

BLOCK = 2**18  # scores computed at once: a megabyte


@dataclass(frozen=True)
class Group:
    """Sequences of one length that follow each other."""

    first_query: int  # row
    first_key: int  # row
    number: int
    length: int
    asking: int  # queries of a sequence: all of its tokens, or its first alone

    def queries(self, rows: torch.Tensor) -> torch.Tensor:
        """Take the rows of tokens that ask."""
        return rows[self.first_query : self.first_query + self.number * self.asking]

    def keys(self, rows: torch.Tensor) -> torch.Tensor:
        """Take the rows of all tokens."""
        return rows[self.first_key : self.first_key + self.number * self.length]


def groups_of(lengths: np.ndarray, heads: int, first: bool = False) -> list[Group]:
    """Group sequences, which are sorted by length; with `first`, only their first tokens ask."""
    groups, query, key = [], 0, 0
    for length, count in zip(*map(np.ndarray.tolist, np.unique(lengths, return_counts=True)), strict=True):
        asking = 1 if first else length
        most = max(1, BLOCK // (heads * asking * length))
        for start in range(0, count, most):
            number = min(most, count - start)
            groups.append(Group(query, key, number, length, asking))
            query, key = query + number * asking, key + number * length
    return groups


Sides = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # queries, keys, values; a token a row


def attend(
    sides: Sides, groups: Sequence[Group], heads: int, share: float, draws: Draws | None, learning: bool
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Return what tokens that ask get, and what `attend_back` needs, if they learn.

    Dropout drops a share of the weights.
    """
    result, saved = torch.empty(sides[0].shape), []
    scale = (result.shape[1] // heads) ** -0.5
    for group in groups:
        query, key, value = _matrices(sides, group, heads)
        scores = torch.baddbmm(query.new_empty(()), query, key.transpose(1, 2), beta=0, alpha=scale)
        weights = torch.softmax(scores, -1)
        kept = draws.kept(weights.shape, share) if draws else None
        if learning:
            saved += [weights] if kept is None else [weights, kept]
        used = weights if kept is None else drop_(weights.clone(), kept, share)
        _write(group.queries(result), torch.bmm(used, value), group.number)
    return result, saved


def attend_back(
    gradient: torch.Tensor,
    sides: Sides,
    groups: Sequence[Group],
    heads: int,
    share: float,
    saved: Sequence[torch.Tensor],
    out: Sides,
) -> None:
    """Write the gradients of queries, keys and values."""
    scale = (gradient.shape[1] // heads) ** -0.5
    size = len(saved) // len(groups)
    for number, group in enumerate(groups):
        query, key, value = _matrices(sides, group, heads)
        above = _matrix(group.queries(gradient), group.number, heads)
        weights, *kept = saved[number * size : (number + 1) * size]
        used, back = weights, torch.bmm(above, value.transpose(1, 2))
        if kept:
            factor = factors(kept[0], share)
            back.mul_(factor)
            used = factor.mul_(weights)
        scores = torch._softmax_backward_data(back, weights, -1, torch.float32).mul_(scale)
        _write(group.queries(out[0]), torch.bmm(scores, key), group.number)
        _write(group.keys(out[1]), torch.bmm(scores.transpose(1, 2), query), group.number)
        _write(group.keys(out[2]), torch.bmm(used.transpose(1, 2), above), group.number)


def _matrices(sides: Sides, group: Group, heads: int) -> Sides:
    parts = group.queries(sides[0]), group.keys(sides[1]), group.keys(sides[2])
    return tuple(_matrix(part, group.number, heads) for part in parts)


def _matrix(rows: torch.Tensor, number: int, heads: int) -> torch.Tensor:
    """Turn rows into one matrix for each sequence and head; a view if there is one sequence."""
    parts = rows.unflatten(1, (heads, -1)).unflatten(0, (number, -1)).transpose(1, 2)
    return parts.reshape(number * heads, *parts.shape[2:])


def _write(rows: torch.Tensor, matrices: torch.Tensor, number: int) -> None:
    """Write matrices, as `_matrix` makes them, to rows."""
    parts = matrices.unflatten(0, (number, -1)).transpose(1, 2)
    rows.unflatten(1, parts.shape[2:]).unflatten(0, (number, -1)).copy_(parts)
