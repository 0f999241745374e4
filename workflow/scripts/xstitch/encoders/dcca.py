"""Deep canonical correlation analysis: how well one view of words is a linear function of another.

The loss is minus the sum of the canonical correlations between two views of the same rows (Andrew et al.,
2013). Its gradient needs no derivative of a decomposition: with a_i, b_i the canonical directions of
correlation r_i, scaled to variance one,

    d r_i = a_i' dS12 b_i - r_i / 2 a_i' dS11 a_i

which stays finite for equal correlations and for fewer rows than dimensions.

With nearly as many dimensions as rows, unrelated views are highly correlated, too. So views can be reduced
to the principal components of the batch, which are few and have most of the variance (the program of the x2s
authors takes ten of 64 words). Correlations are then those between the spans of the components.
"""

from __future__ import annotations

from typing import Any

import torch

from xstitch.core.errors import InputError
from xstitch.encoders.settings.continued import RIDGE, Correlations

SMALLEST = 1e-6  # a correlation below this has no reliable direction: its square drowns in rounding
SMALLEST_GAP = 1e-9  # between squared singular values, relative to the largest; keeps gradients finite


def dcca_loss(trained: torch.Tensor, fixed: torch.Tensor, settings: Correlations) -> torch.Tensor:
    """Compare two views of the same words as configured; only `trained` learns."""
    generalised = settings.objective == "generalised"
    if settings.components is not None:
        return component_loss(trained, fixed, settings.components, settings.correlations, generalised)
    return correlation_loss(trained, fixed, settings.correlations, settings.ridge, generalised)


def correlation_loss(
    trained: torch.Tensor,
    fixed: torch.Tensor,
    number: int | None = None,
    ridge: float = RIDGE,
    generalised: bool = False,
) -> torch.Tensor:
    """Sum the `number` highest canonical correlations (None: all), with a minus; only `trained` learns.

    `ridge` is added to the variances of both views. `generalised`: a correlation r counts as sqrt(1 + r), the
    objective of generalised CCA for two views.
    """
    _check_rows(trained, fixed)
    return _Correlation.apply(trained, fixed.detach(), number, ridge, generalised)


def component_loss(
    trained: torch.Tensor,
    fixed: torch.Tensor,
    components: int,
    number: int | None = None,
    generalised: bool = False,
) -> torch.Tensor:
    """Do the same for the first principal components of each view, without a ridge."""
    _check_rows(trained, fixed)
    return _ComponentCorrelation.apply(trained, fixed.detach(), components, number, generalised)


def _check_rows(trained: torch.Tensor, fixed: torch.Tensor) -> None:
    if len(trained) != len(fixed) or len(trained) < 2:
        sizes = f"{len(trained)}, {len(fixed)}"
        raise InputError(f"DCCA needs two views with the same number of rows, at least 2, not {sizes}")


def _objective(correlations: torch.Tensor, generalised: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what the correlations add to the sum, and the derivatives."""
    if not generalised:
        return correlations, torch.ones_like(correlations)
    roots = (1 + correlations).sqrt()
    return roots, 0.5 / roots


class _Correlation(torch.autograd.Function):
    """The loss, from directions in double precision whatever comes in, and its gradient in closed form."""

    @staticmethod
    def forward(
        ctx: Any,
        trained: torch.Tensor,
        fixed: torch.Tensor,
        number: int | None,
        ridge: float,
        generalised: bool,
    ) -> torch.Tensor:
        x, y = (_centred(view) for view in (trained, fixed))
        left, right, correlations = canonical_directions(x, y, number, ridge)
        values, slopes = _objective(correlations, generalised)
        # The products that remain need no more precision than the gradient has.
        kind = torch.promote_types(trained.dtype, torch.float32)
        x, y, left, right, weights, slopes = (
            part.to(kind) for part in (x, y, left, right, correlations, slopes)
        )
        # What moves a row towards its canonical partner, minus what only increases its own variance.
        gradient = ((x @ left) * weights - y @ right) * slopes
        ctx.save_for_backward((gradient @ left.T / (len(x) - 1)).to(trained.dtype))
        return -values.sum().to(trained.dtype)

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return upstream * gradient, None, None, None, None


class _ComponentCorrelation(torch.autograd.Function):
    """The loss between the spans of principal components; differences within a span do not occur in it."""

    @staticmethod
    def forward(
        ctx: Any,
        trained: torch.Tensor,
        fixed: torch.Tensor,
        components: int,
        number: int | None,
        generalised: bool,
    ) -> torch.Tensor:
        u, s, v = _components(_centred(trained))
        other = _components(_centred(fixed))[0][:, :components]
        left, correlations, right = torch.linalg.svd(u[:, :components].T @ other, full_matrices=False)
        # Rounding makes a correlation of 1 larger than 1.
        left, correlations, right = left[:, :number], correlations[:number].clamp(max=1), right[:number]
        values, slopes = _objective(correlations, generalised)
        towards = (
            -(other @ right.T * slopes) @ left.T
        )  # derivative with respect to the components of `trained`
        ctx.save_for_backward(_through_components(towards, u, s, v, components).to(trained.dtype))
        return -values.sum().to(trained.dtype)

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return upstream * gradient, None, None, None, None


def _components(view: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Decompose a centred view into U S V', without what is only rounding."""
    u, s, vt = torch.linalg.svd(view, full_matrices=False)
    real = s > SMALLEST * s.max().clamp(min=SMALLEST)
    return u[:, real], s[real], vt[real].T


def _through_components(
    towards: torch.Tensor, u: torch.Tensor, s: torch.Tensor, v: torch.Tensor, components: int
) -> torch.Tensor:
    """Carry a derivative from the span of the first left singular vectors over to the matrix itself.

    To first order, a change D of the matrix turns component i towards a lesser one j by
    (s_i u_j' D v_i + s_j u_i' D v_j) / (s_i^2 - s_j^2), and out of the span of all by D v_i / s_i.
    """
    kept, rest = slice(0, components), slice(components, None)
    gap = s[kept] ** 2 - s[rest, None] ** 2
    turns = u[:, rest].T @ towards / gap.clamp(min=SMALLEST_GAP * float(s.max()) ** 2 if len(s) else 1.0)
    inside = u[:, rest] @ (turns * s[kept]) @ v[:, kept].T
    inside += u[:, kept] @ (turns * s[rest, None]).T @ v[:, rest].T
    outside = (towards - u @ (u.T @ towards)) / s[kept] @ v[:, kept].T
    return inside + outside


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
