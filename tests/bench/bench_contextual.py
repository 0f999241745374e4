"""Losses of contextual models: DCCA, and one update of WordOT."""

import copy
from collections.abc import Callable

import numpy as np
import torch
from bench import Bench
from torch import nn
from transformers import BertConfig, BertModel

from xstitch.encoders.bitext import Bitext, Side
from xstitch.encoders.dcca import correlation_loss
from xstitch.encoders.settings.continued import RIDGE
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.encoders.wordot import transport_loss
from xstitch.training.batches import Ragged
from xstitch.training.schedule import Schedule

ROWS, WIDTH, PAIRS = 1024, 768, 24


def bench_dcca() -> Bench:
    """Loss and gradient of 1,024 words, 768 dimensions against 768."""
    return _correlation_bench(
        _svd_loss, "singular value decompositions of both views and of their product, by autograd"
    )


def bench_dcca_by_roots() -> Bench:
    """The same against the textbook's way, which decomposes covariances."""
    return _correlation_bench(
        _roots_loss, "inverse roots of covariances and a singular value decomposition, by autograd"
    )


def _correlation_bench(loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], what: str) -> Bench:
    random = torch.Generator().manual_seed(0)
    fixed = torch.randn(ROWS, WIDTH, generator=random)
    trained = fixed @ torch.randn(WIDTH, WIDTH, generator=random) / WIDTH**0.5
    trained = (trained + torch.randn(ROWS, WIDTH, generator=random)).requires_grad_(True)
    gradients = [torch.autograd.grad(each(trained, fixed), trained)[0] for each in (loss, correlation_loss)]
    torch.testing.assert_close(*gradients, rtol=1e-3, atol=1e-6)
    return Bench(
        what,
        lambda: torch.autograd.grad(loss(trained, fixed), trained),
        lambda: torch.autograd.grad(correlation_loss(trained, fixed), trained),
        rounds=5,
    )


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


def bench_wordot_step() -> Bench:
    """Loss and gradient of 24 sentence pairs of 5 to 30 words, a BERT of 2 layers and 64 dimensions."""
    model, bitext = _small_bert(), _bitext()
    loss = transport_loss(model, copy.deepcopy(model), WordotSettings(Schedule(learning_rate=1, steps=1)))

    def step(batches: list[np.ndarray]) -> None:
        for rows in batches:
            (loss(bitext.collate(rows)) * len(rows) / PAIRS).backward()
        model.zero_grad()

    return Bench(
        "the same loss pair by pair",
        lambda: step([np.array([row]) for row in range(PAIRS)]),
        lambda: step([np.arange(PAIRS)]),
        rounds=5,
    )


def _small_bert() -> nn.Module:
    torch.manual_seed(0)
    return BertModel(
        BertConfig(
            vocab_size=1000, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256
        )
    ).eval()


def _bitext() -> Bitext:
    """Draw sentences of whole words between two specials."""
    random = np.random.default_rng(0)
    sides = []
    for _ in range(2):
        lengths = random.integers(5, 31, size=PAIRS)
        ids = Ragged.from_lists([random.integers(5, 1000, length + 2).tolist() for length in lengths])
        words = Ragged.from_lists([list(range(length)) for length in lengths])
        positions = Ragged.from_lists([list(range(1, length + 1)) for length in lengths])
        sides.append(Side(ids, positions, positions, words, 0))
    return Bitext(*sides)
