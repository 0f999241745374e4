"""What alignment knows of two languages: counts of answers and mean features by class, never all features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import nn

from xstitch.models.transfer.domains import Answers, Domain, read
from xstitch.models.transfer.importance import joint_counts

Classes = Literal["gold", "predicted"]  # by which the items of a language are told apart


@dataclass
class Statistics:
    """Sums over a language: how often each prediction (row) has each label (column); features by class.

    The last column of the features counts the items.
    """

    joint: np.ndarray
    sums: torch.Tensor


def measure_start(
    model: nn.Module, domain: Domain, number: int, classes: Classes, table: nn.Embedding | None = None
) -> Statistics:
    """Run a model over a language once and add up its answers; only one batch of them is in memory."""
    found = Statistics(np.zeros((number, number), dtype=np.int64), torch.zeros((), dtype=torch.float64))

    def take(answers: Answers) -> None:
        predicted = answers.logits.argmax(dim=1)
        found.joint += joint_counts(predicted.cpu().numpy(), answers.gold.cpu().numpy(), number)
        labels = answers.gold if classes == "gold" else predicted
        found.sums = found.sums + class_sums(answers.features, labels, number).cpu().double()

    read(model, domain, take, table=table)
    return found


def class_sums(features: torch.Tensor, labels: torch.Tensor, number: int) -> torch.Tensor:
    """Sum features by class; the last column counts the items."""
    counted = torch.cat([features.float(), torch.ones_like(features[:, :1], dtype=torch.float32)], dim=1)
    return torch.zeros(number, counted.shape[1], device=features.device).index_add_(0, labels, counted)


class RunningMeans(nn.Module):
    """Running mean features of every class in both languages, with the momentum of the other statistics.

    They start from sums over whole languages, of `batches` batches each. The target's classes are the
    predicted ones, so no label is needed. The distance of the means is logged as feature_shift.
    """

    def __init__(self, start: Sequence[torch.Tensor], batches: Sequence[int], momentum: float) -> None:
        super().__init__()
        self.momentum = momentum
        means = [total / number for total, number in zip(start, batches, strict=True)]  # per batch
        self.register_buffer("sums", torch.stack(means).float())

    @torch.no_grad()
    def observe(self, source: Answers, target: Answers) -> None:
        """Move the means towards those of a batch."""
        labelled = [(source, source.gold), (target, target.logits.argmax(dim=1))]
        new = [class_sums(side.features, labels, self.sums.shape[1]) for side, labels in labelled]
        self.sums.lerp_(torch.stack(new), self.momentum)

    def shift(self) -> torch.Tensor:
        """Average the l1 distance of the means over the classes that both languages have."""
        counts = self.sums[:, :, -1:]
        shared = (counts > 0).all(dim=0).squeeze(1)
        source, target = self.sums[:, shared, :-1] / counts[:, shared]
        return (source - target).abs().sum(dim=1).mean()
