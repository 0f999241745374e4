"""The loss of DCCA beside two ways to write it in torch."""

from collections.abc import Callable
from functools import partial

import torch
from bench import Bench

from xstitch.encoders.dcca import correlation_loss
from xstitch.encoders.settings.continued import RIDGE

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
ROWS, WIDTH = 1024, 768


def bench_dcca() -> Bench:
    """Loss and gradient of 1,024 words, 768 dimensions against 768."""
    random = torch.Generator().manual_seed(0)
    fixed = torch.randn(ROWS, WIDTH, generator=random)
    trained = fixed @ torch.randn(WIDTH, WIDTH, generator=random) / WIDTH**0.5
    trained = (trained + torch.randn(ROWS, WIDTH, generator=random)).requires_grad_(True)
    losses = {"bases of both views": _svd_loss, "roots of covariances": _roots_loss}

    def gradient(loss: Loss) -> torch.Tensor:
        return torch.autograd.grad(loss(trained, fixed), trained)[0]

    for loss in losses.values():
        torch.testing.assert_close(gradient(loss), gradient(correlation_loss), rtol=1e-3, atol=1e-6)
    others = {f"torch, {name}": partial(gradient, loss) for name, loss in losses.items()}
    return Bench(partial(gradient, correlation_loss), others, ROWS, "words")


def _svd_loss(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Compute the loss as Björck and Golub do: bases of both views, and the angles between them."""
    bases = []
    for view in (x, y):
        left, values, _ = torch.linalg.svd(view.double() - view.double().mean(dim=0), full_matrices=False)
        bases.append(left * (values / (values**2 + RIDGE * (ROWS - 1)).sqrt()))
    return -torch.linalg.svd(bases[0].T @ bases[1]).S.sum()


def _roots_loss(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Sum the singular values of S11^(-1/2) S12 S22^(-1/2)."""
    x, y = (view.double() - view.double().mean(dim=0) for view in (x, y))
    roots = []
    for view in (x, y):
        covariance = view.T @ view / (ROWS - 1) + RIDGE * torch.eye(WIDTH, dtype=torch.float64)
        values, axes = torch.linalg.eigh(covariance)
        roots.append(axes * values.rsqrt() @ axes.T)
    return -torch.linalg.svd(roots[0] @ (x.T @ y / (ROWS - 1)) @ roots[1]).S.sum()
