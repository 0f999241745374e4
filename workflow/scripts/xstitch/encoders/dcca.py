"""Deep canonical correlation analysis: how well one view of words is a linear function of another.

The loss is minus the sum of the canonical correlations between two views of the same rows (Andrew et al.,
2013). Its gradient needs no derivative of a decomposition: with a_i, b_i the canonical directions of
correlation r_i, scaled to variance one,

    d r_i = a_i' dS12 b_i - r_i / 2 a_i' dS11 a_i

which stays finite for equal correlations and for fewer rows than dimensions.
"""

from __future__ import annotations

from typing import Any

import torch

from xstitch.core.errors import InputError
from xstitch.encoders.settings.continued import RIDGE

SMALLEST = 1e-6  # a correlation below this has no reliable direction: its square drowns in rounding


def correlation_loss(
    trained: torch.Tensor, fixed: torch.Tensor, number: int | None = None, ridge: float = RIDGE
) -> torch.Tensor:
    """Sum the `number` highest canonical correlations (None: all), with a minus; only `trained` learns.

    `ridge` is added to the variances of both views.
    """
    if len(trained) != len(fixed) or len(trained) < 2:
        sizes = f"{len(trained)}, {len(fixed)}"
        raise InputError(f"DCCA needs two views with the same number of rows, at least 2, not {sizes}")
    return _Correlation.apply(trained, fixed.detach(), number, ridge)


class _Correlation(torch.autograd.Function):
    """The loss, from directions in double precision whatever comes in, and its gradient in closed form."""

    @staticmethod
    def forward(
        ctx: Any, trained: torch.Tensor, fixed: torch.Tensor, number: int | None, ridge: float
    ) -> torch.Tensor:
        x, y = (_centred(view) for view in (trained, fixed))
        left, right, correlations = canonical_directions(x, y, number, ridge)
        # The products that remain need no more precision than the gradient has.
        kind = torch.promote_types(trained.dtype, torch.float32)
        x, y, left, right, weights = (part.to(kind) for part in (x, y, left, right, correlations))
        # What moves a row towards its canonical partner, minus what only increases its own variance.
        gradient = (x @ left) * weights - y @ right
        ctx.save_for_backward((gradient @ left.T / (len(x) - 1)).to(trained.dtype))
        return -correlations.sum().to(trained.dtype)

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return upstream * gradient, None, None, None


def canonical_directions(
    x: torch.Tensor, y: torch.Tensor, number: int | None, ridge: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Find the directions of two centred views, as columns, and their correlations, the highest first.

    With Cholesky factors L of the covariances, the correlations are the singular values of
    inv(L1) S12 inv(L2)'; they come from the smaller of its two Gram matrices, which is symmetric.
    """
    if x.shape[1] > y.shape[1]:
        right, left, correlations = canonical_directions(y, x, number, ridge)
        return left, right, correlations
    first, second = (torch.linalg.cholesky(_covariance(view, view, ridge)) for view in (x, y))
    whitened = torch.linalg.solve_triangular(first, _covariance(x, y), upper=False)
    whitened = torch.linalg.solve_triangular(second, whitened.T, upper=False).T
    squares, axes = torch.linalg.eigh(whitened @ whitened.T)
    highest = slice(0, number)
    correlations, axes = squares.clamp(min=0).sqrt().flip(0)[highest], axes.flip(1)[:, highest]
    real = correlations > SMALLEST
    correlations, axes = correlations[real], axes[:, real]
    other = whitened.T @ axes / correlations
    left = torch.linalg.solve_triangular(first.T, axes, upper=True)
    right = torch.linalg.solve_triangular(second.T, other, upper=True)
    return left, right, correlations


def _centred(view: torch.Tensor) -> torch.Tensor:
    view = view.detach().double()
    return view - view.mean(dim=0)


def _covariance(x: torch.Tensor, y: torch.Tensor, ridge: float = 0.0) -> torch.Tensor:
    product = x.T @ y / (len(x) - 1)
    if ridge:
        product.diagonal().add_(ridge)
    return product
