"""How long and how to train, as configured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from xstitch.core.errors import InputError
from xstitch.core.settings import Count, NotNegative, Positive


@dataclass(frozen=True)
class Schedule:
    """How long and how to train; a step is one update of the weights."""

    learning_rate: Positive
    batch_size: Count = 32
    epochs: Positive | None = None
    steps: Count | None = None
    schedule: Literal["linear", "constant"] = "linear"
    warmup: NotNegative = 0.0
    """Below 1: a share of all steps; otherwise a number of steps."""
    weight_decay: NotNegative = 0.01
    """Not applied to biases and layer norms."""
    accumulation: Count = 1
    """Batches per update."""
    clip: Positive | None = 1.0
    """Maximum norm of the gradient; null: no clipping."""
    evaluate_every: Count | None = None
    """Steps; once per epoch if not given."""
    keep: Literal["best", "last"] = "best"
    """Weights that training ends with: those that do best on held-out data, or the last."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse contradictions; recipes and tasks each give a part, so only the whole can be checked."""
        if (self.epochs is None) == (self.steps is None):
            raise InputError("training settings: give either epochs or steps")

    def factor(self, step: int, steps: int) -> float:
        """Return the share of the learning rate used at a step, counted from 0."""
        return schedule_factor(step, steps, self.warmup, self.schedule)

    def total_steps(self, batches_per_epoch: int) -> int:
        """Return the number of updates in the whole run."""
        if self.steps is not None:
            return self.steps
        return math.ceil(self.epochs * batches_per_epoch / self.accumulation)

    def interval(self, batches_per_epoch: int) -> int:
        """Return the number of updates from one evaluation to the next."""
        return self.evaluate_every or max(1, round(batches_per_epoch / self.accumulation))


def with_schedule(settings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return settings of the configuration with `training` turned into a schedule."""
    return {**settings, "training": Schedule(**settings["training"], seed=seed)}


def schedule_factor(step: int, steps: int, warmup: float, schedule: str) -> float:
    """Return the share of the learning rate at an update (from 0), as in transformers.get_scheduler."""
    rise = math.ceil(warmup * steps) if warmup < 1 else int(warmup)
    if step < rise:
        return step / rise
    return 1.0 if schedule == "constant" else max(0.0, (steps - step) / max(1, steps - rise))
