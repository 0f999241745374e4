"""How long and how to train, as configured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from xstitch.core.errors import InputError
from xstitch.core.settings import Count, NotNegative, Positive

Grouping = Literal["by-length", "random"]


@dataclass(frozen=True)
class Schedule:
    """How long and how to train; a step is one update of the weights."""

    learning_rate: Positive
    batch_size: Count = 32
    batches: Grouping = "by-length"
    """Examples that share a batch: of similar length, which needs less padding, or any."""
    epochs: Positive | None = None
    steps: Count | None = None
    least_steps: Count | None = None
    """Updates that a run takes even if `epochs` of little data are fewer."""
    schedule: Literal["linear", "constant"] = "linear"
    warmup: NotNegative = 0.0
    """Below 1: a share of all steps; otherwise a number of steps."""
    weight_decay: NotNegative = 0.01
    """Not applied to biases and layer norms."""
    accumulation: Count = 1
    """Batches per update."""
    epoch_end: Literal["carry", "update"] = "carry"
    """Batches left at the end of an epoch: carried into the next one's first update, or an update alone."""
    schedule_over: Literal["updates", "batches"] = "updates"
    """What the linear schedule would fall to 0 over; it moves with every update, whatever it counts."""
    clip: Positive | None = 1.0
    """Maximum norm of the gradient; null: no clipping."""
    evaluate_every: Count | None = None
    """Steps; once per epoch if not given."""
    bf16: bool = False
    """Compute in bf16 on a processor, too, which must have instructions for it; a GPU always does."""
    keep: Literal["best", "lowest-loss", "last"] = "best"
    """Weights that training ends with: the best by metric or by loss on held-out data, or the last."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse contradictions; recipes and tasks each give a part, so only the whole can be checked."""
        if (self.epochs is None) == (self.steps is None):
            raise InputError("training settings: give either epochs or steps")

    def factor(self, step: int, steps: int) -> float:
        """Return the share of the learning rate at a step, counted from 0, of a schedule over `steps`."""
        return schedule_factor(step, steps, self.warmup, self.schedule)

    def total_steps(self, batches_per_epoch: int) -> int:
        """Return the number of updates in the whole run."""
        return self.steps or max(self._steps_of_epochs(batches_per_epoch), self.least_steps or 1)

    def total_batches(self, batches_per_epoch: int) -> int:
        """Return the number of batches in the whole run."""
        steps = self.total_steps(batches_per_epoch)
        if self.epoch_end == "carry":
            return steps * self.accumulation
        epochs, rest = divmod(steps, self._steps_per_epoch(batches_per_epoch))
        return epochs * batches_per_epoch + rest * self.accumulation

    def span(self, batches_per_epoch: int) -> int:
        """Return the number of steps after which a linear schedule is at 0."""
        over_updates = self.schedule_over == "updates"
        return (self.total_steps if over_updates else self.total_batches)(batches_per_epoch)

    def batches_of(self, step: int, batches_per_epoch: int) -> int:
        """Return the number of batches in an update, counted from 0."""
        if self.epoch_end == "carry":
            return self.accumulation
        before = step % self._steps_per_epoch(batches_per_epoch) * self.accumulation
        return min(self.accumulation, batches_per_epoch - before)

    def interval(self, batches_per_epoch: int) -> int:
        """Return the number of updates from one evaluation to the next."""
        if self.evaluate_every:
            return self.evaluate_every
        if self.epoch_end == "update":
            return self._steps_per_epoch(batches_per_epoch)
        return max(1, round(batches_per_epoch / self.accumulation))

    def _steps_of_epochs(self, batches_per_epoch: int) -> int:
        """Return the number of updates in all epochs."""
        if self.epoch_end == "carry":
            return math.ceil(self.epochs * batches_per_epoch / self.accumulation)
        epochs, rest = divmod(math.ceil(self.epochs * batches_per_epoch), batches_per_epoch)
        return epochs * self._steps_per_epoch(batches_per_epoch) + math.ceil(rest / self.accumulation)

    def _steps_per_epoch(self, batches_per_epoch: int) -> int:
        """Return the number of updates in an epoch that ends with one."""
        return math.ceil(batches_per_epoch / self.accumulation)


def with_schedule(settings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return settings of the configuration with `training` turned into a schedule."""
    return {**settings, "training": Schedule(**settings["training"], seed=seed)}


def schedule_factor(step: int, steps: int, warmup: float, schedule: str) -> float:
    """Return the share of the learning rate at an update (from 0), as in transformers.get_scheduler."""
    rise = math.ceil(warmup * steps) if warmup < 1 else int(warmup)
    if step < rise:
        return step / rise
    return 1.0 if schedule == "constant" else max(0.0, (steps - step) / max(1, steps - rise))
