"""Relative heads: classifiers on cosines to anchors, trained on one space and applied to another (bootstrap).

A head first normalises a row of cosines by that row alone. Its hidden layers may be normalised over the texts
of a batch, as in relreps; a text's label then depends on the texts that are classified with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from xstitch.models.settings.heads import HeadSettings
from xstitch.training.batches import BatchStream
from xstitch.training.devices import choose_device, evaluating, seed_all
from xstitch.training.loop import train
from xstitch.training.schedule import Schedule

ACTIVATIONS = {"silu": nn.SiLU, "tanh": nn.Tanh}
EPSILON = 1e-5  # torch's, for instance norms


@dataclass(frozen=True)
class Labelled:
    """Relative vectors of texts, and the numbers of their labels."""

    rows: torch.Tensor
    labels: np.ndarray


class RelativeHead(nn.Module):
    """Hidden layers over cosines to anchors, which are normalised to the same mean and spread per text.

    Cosines in an encoder's space differ by hundredths around a mean that differs between encoders: without
    the normalisation a head would learn the mean of its own encoder.
    """

    def __init__(self, anchors: int, labels: int, settings: HeadSettings) -> None:
        super().__init__()
        width = settings.width or anchors
        layers: list[nn.Module] = [nn.LayerNorm(anchors)]
        for number in range(settings.layers):
            layers += [nn.Linear(width if number else anchors, width), ACTIVATIONS[settings.activation]()]
            layers += [OverTexts()] if settings.normalisation == "texts" else []
        layers.append(nn.Linear(width, labels))
        self.layers = nn.Sequential(*layers, *([nn.ReLU()] if settings.rectified else []))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Score every label for each row."""
        return self.layers(rows.float())  # cosines come in any precision


class OverTexts(nn.Module):
    """Every unit with mean 0 and variance 1 over the texts: torch's instance norm on transposed rows.

    There are no running statistics: tests are normalised over all texts that are classified together.
    """

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Normalise the columns."""
        variance, mean = torch.var_mean(rows, dim=0, correction=0)
        return (rows - mean) / torch.sqrt(variance + EPSILON)


def train_head(examples: Labelled, labels: int, settings: HeadSettings, schedule: Schedule) -> RelativeHead:
    """Train a head on the texts of one language."""
    seed_all(schedule.seed)
    head = RelativeHead(examples.rows.shape[1], labels, settings)
    rows, truth = examples.rows.cpu(), torch.from_numpy(examples.labels)
    # All lengths are equal: batches need no sorting by length.
    batches = BatchStream(
        np.ones(len(rows), dtype=int),
        schedule.batch_size,
        schedule.seed,
        lambda chosen: (rows[chosen], truth[chosen]),
    )
    train(head, lambda batch: _loss(head, batch), batches, schedule, label="relative head")
    return head


def predict(head: RelativeHead, rows: torch.Tensor) -> np.ndarray:
    """Choose the label with the highest score for every row."""
    with evaluating(head):
        return head(rows.to(choose_device())).argmax(dim=1).cpu().numpy()


def _loss(head: RelativeHead, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    rows, truth = (part.to(next(head.parameters()).device) for part in batch)
    return nn.functional.cross_entropy(head(rows), truth)


def apply_heads(
    train: Mapping[str, Labelled],
    test: Mapping[str, torch.Tensor],
    labels: int,
    settings: HeadSettings,
    schedule: Schedule,
) -> dict[tuple[str, str], np.ndarray]:
    """Train a head on each language, apply it to all; key predictions by the head's and texts' languages."""
    heads = {
        language: train_head(examples, labels, settings, schedule) for language, examples in train.items()
    }
    return {
        (decoder, encoder): predict(head, rows)
        for decoder, head in heads.items()
        for encoder, rows in test.items()
    }
