"""The two halves of a BERT layer on packed sequences, each one step of autograd with its gradient by hand.

A half saves what its gradient needs and no more, multiplies queries, keys and values by one matrix, and
computes no gradient that nobody asks for. A last layer of which only the first state of a text is read
computes that one alone; its keys and values are still those of all tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.autograd.function import once_differentiable

from xstitch.encoders.packed.attention import Group, Sides, attend, attend_back
from xstitch.encoders.packed.dropout import Draws, drop_, factors

Tensors = Sequence[torch.Tensor]
GELU = torch.ops.aten.gelu.default
GELU_BACK = torch.ops.aten.gelu_backward.default


@dataclass(frozen=True)
class Batch:
    """The packed sequences of a batch."""

    groups: Sequence[Group]
    heads: int
    first: torch.Tensor | None  # rows of first tokens, if only they ask
    draws: Draws | None  # none in evaluation
    learning: bool  # whether gradients will be asked for


def run_layer(layer: nn.Module, rows: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Run a layer of BERT or RoBERTa."""
    attention, between = layer.attention, layer.attention.output
    projections = (attention.self.query, attention.self.key, attention.self.value, between.dense)
    shares = attention.self.dropout.p, between.dropout.p
    rows = _Attention.apply(
        rows, batch, shares, between.LayerNorm.eps, *_weights(*projections, between.LayerNorm)
    )
    end = layer.output
    weights = _weights(layer.intermediate.dense, end.dense, end.LayerNorm)
    return _Feed.apply(rows, batch.draws, end.dropout.p, end.LayerNorm.eps, *weights)


def _weights(*parts: nn.Module) -> list[nn.Parameter]:
    return [weight for part in parts for weight in (part.weight, part.bias)]


class _Attention(torch.autograd.Function):
    """Attention, its projections, dropout, the sum with the input and its normalisation."""

    @staticmethod
    def forward(
        ctx: Any,
        rows: torch.Tensor,
        batch: Batch,
        shares: tuple[float, float],
        eps: float,
        *weights: torch.Tensor,
    ) -> torch.Tensor:
        asking = rows if batch.first is None else rows[batch.first]
        projected = _project(rows, asking, weights)
        taken, saved = attend(
            _sides(projected), batch.groups, batch.heads, shares[0], batch.draws, batch.learning
        )
        added = torch.addmm(weights[7], taken, weights[6].t())
        result, *sums = _add_normalised(added, asking, batch.draws, shares[1], eps, weights[8:])
        ctx.save_for_backward(rows, taken, *sums, *projected, *saved, *weights)
        ctx.batch, ctx.shares, ctx.counts = batch, shares, (len(sums), len(projected), len(saved))
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (rows, taken), *parts = _cut(ctx.saved_tensors, (2, *ctx.counts, 10))
        sums, projected, saved, weights = parts
        needed, batch = ctx.needs_input_grad, ctx.batch
        total, *norm = _back_to_sum(gradient, sums, weights[8:], needed[12:])
        added = _undrop(total, sums, ctx.shares[1])
        out = [torch.empty_like(part) for part in projected]
        how = batch.groups, batch.heads, ctx.shares[0]
        attend_back(added @ weights[6], _sides(projected), *how, saved, _sides(out))
        last = _linear_back(added, taken, needed[10:12])  # before the sum's gradient is added to
        projections = _projections_back(rows, out, batch.first, needed[4:10])
        back = _input_gradient(total, out, weights, batch.first) if needed[0] else None
        return (back, None, None, None, *projections, *last, *norm)


def _project(rows: torch.Tensor, asking: torch.Tensor, weights: Tensors) -> list[torch.Tensor]:
    """Compute queries, keys and values: as one matrix, or queries apart if not all tokens ask."""
    matrices, biases = weights[0:6:2], weights[1:6:2]
    if asking is rows:
        return [torch.addmm(torch.cat(biases), rows, torch.cat(matrices).t())]
    rest = torch.addmm(torch.cat(biases[1:]), rows, torch.cat(matrices[1:]).t())
    return [torch.addmm(biases[0], asking, matrices[0].t()), rest]


def _sides(projected: Tensors) -> Sides:
    """Name the parts of what `_project` computes."""
    return projected[0].chunk(3, 1) if len(projected) == 1 else (projected[0], *projected[1].chunk(2, 1))


def _projections_back(
    rows: torch.Tensor, out: Tensors, first: torch.Tensor | None, needed: Sequence[bool]
) -> list[torch.Tensor | None]:
    """Return the gradients of the weights and biases of queries, keys and values."""
    inputs = [rows] if first is None else [rows[first], rows]
    both = any(needed[0::2]), any(needed[1::2])
    gradients = [_linear_back(part, side, both) for part, side in zip(out, inputs, strict=True)]
    joined = [None if pair[0] is None else torch.cat(pair) for pair in zip(*gradients, strict=True)]
    parts = [[None] * 3 if part is None else part.chunk(3) for part in joined]
    return [side for pair in zip(*parts, strict=True) for side in pair]


def _input_gradient(
    total: torch.Tensor, out: Tensors, weights: Tensors, first: torch.Tensor | None
) -> torch.Tensor:
    matrices = weights[0:6:2]
    if first is None:
        return total.addmm_(out[0], torch.cat(matrices))
    return (out[1] @ torch.cat(matrices[1:])).index_add_(0, first, total.addmm_(out[0], matrices[0]))


class _Feed(torch.autograd.Function):
    """The two linear layers with GELU between them, dropout, the sum with the input, its normalisation."""

    @staticmethod
    def forward(
        ctx: Any, rows: torch.Tensor, draws: Draws | None, share: float, eps: float, *weights: torch.Tensor
    ) -> torch.Tensor:
        wide = torch.addmm(weights[1], rows, weights[0].t())
        active = GELU(wide)
        added = torch.addmm(weights[3], active, weights[2].t())
        result, *sums = _add_normalised(added, rows, draws, share, eps, weights[4:])
        ctx.save_for_backward(rows, wide, active, *sums, *weights)
        ctx.share, ctx.number = share, len(sums)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (rows, wide, active), sums, weights = _cut(ctx.saved_tensors, (3, ctx.number, 6))
        needed = ctx.needs_input_grad
        total, *norm = _back_to_sum(gradient, sums, weights[4:], needed[8:])
        added = _undrop(total, sums, ctx.share)
        second = _linear_back(added, active, needed[6:8])
        inner = GELU_BACK(added @ weights[2], wide)
        first = _linear_back(inner, rows, needed[4:6])
        back = total.addmm_(inner, weights[0]) if needed[0] else None
        return (back, None, None, None, *first, *second, *norm)


def _cut(tensors: Tensors, sizes: Sequence[int]) -> list[Tensors]:
    """Cut a sequence into parts of given sizes."""
    parts, start = [], 0
    for size in sizes:
        parts.append(tensors[start : start + size])
        start += size
    return parts


def _linear_back(
    gradient: torch.Tensor, rows: torch.Tensor, needed: Sequence[bool]
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Return the gradients of a linear layer's weights and biases, those that are needed."""
    return gradient.t() @ rows if needed[0] else None, gradient.sum(0) if needed[1] else None


def _add_normalised(
    added: torch.Tensor, rows: torch.Tensor, draws: Draws | None, share: float, eps: float, norm: Tensors
) -> list[torch.Tensor]:
    """Drop, add the rows, normalise: the result, and what its gradient needs."""
    kept = draws.kept(added.shape, share) if draws else None
    total = drop_(added, kept, share).add_(rows)
    result, *moments = torch.native_layer_norm(total, total.shape[1:], *norm, eps)
    return [result, total, *moments, *([] if kept is None else [kept])]


def _back_to_sum(
    gradient: torch.Tensor, sums: Tensors, norm: Tensors, needed: Sequence[bool]
) -> tuple[torch.Tensor, ...]:
    """Return the gradients of the sum that was normalised and of the normalisation's weights."""
    total, mean, deviation = sums[:3]
    return torch.ops.aten.native_layer_norm_backward(
        gradient.contiguous(), total, total.shape[1:], mean, deviation, *norm, [True, *needed]
    )


def _undrop(total: torch.Tensor, sums: Tensors, share: float) -> torch.Tensor:
    """Return the gradient of what was dropped from and added to a sum."""
    return total * factors(sums[3], share) if len(sums) == 4 else total
