"""Relative heads: classifiers on cosines to anchors, trained on one space and applied to another (bootstrap).

A head sees one text at a time: it normalises a row by that row alone, never by other rows of the batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from xstitch.training.batches import BatchStream
from xstitch.training.devices import choose_device, evaluating, seed_all
from xstitch.training.loop import train
from xstitch.training.schedule import Schedule


@dataclass(frozen=True)
class Labelled:
    """Relative vectors of texts, and the numbers of their labels."""

    rows: torch.Tensor
    labels: np.ndarray


class RelativeHead(nn.Module):
    """A hidden layer over cosines to anchors, which are normalised to the same mean and spread per text.

    Cosines in an encoder's space differ by hundredths around a mean that differs between encoders: without
    the normalisation a head would learn the mean of its own encoder.
    """

    def __init__(self, anchors: int, hidden: int, labels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.LayerNorm(anchors), nn.Linear(anchors, hidden), nn.Tanh(), nn.Linear(hidden, labels)
        )

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Score every label for each row."""
        return self.layers(rows.float())  # cosines come in any precision


def train_head(examples: Labelled, labels: int, hidden: int, schedule: Schedule) -> RelativeHead:
    """Train a head on the texts of one language."""
    seed_all(schedule.seed)
    head = RelativeHead(examples.rows.shape[1], hidden, labels)
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
    hidden: int,
    schedule: Schedule,
) -> dict[tuple[str, str], np.ndarray]:
    """Train a head on each language, apply it to all; key predictions by the head's and texts' languages."""
    heads = {language: train_head(examples, labels, hidden, schedule) for language, examples in train.items()}
    return {
        (decoder, encoder): predict(head, rows)
        for decoder, head in heads.items()
        for encoder, rows in test.items()
    }
