"""How long and how to train, as configured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from xstitch.core.errors import InputError

SCHEDULES = ("linear", "constant")


@dataclass(frozen=True)
class Schedule:
    """How long and how to train; a step is one update of the weights."""

    learning_rate: float
    batch_size: int = 32
    epochs: float | None = None
    steps: int | None = None
    schedule: str = "linear"
    warmup: float = 0.0  # below 1 a share of all steps, else a number of steps
    weight_decay: float = 0.01  # not on biases and layer norms
    accumulation: int = 1  # batches per update
    clip: float | None = 1.0  # maximum norm of the gradient
    evaluate_every: int | None = None  # steps; once per epoch if not given
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse impossible values, naming the key."""
        _require((self.epochs is None) != (self.steps is None), "give either epochs or steps")
        _require(self.schedule in SCHEDULES, f"schedule is {self.schedule!r}; legal: {', '.join(SCHEDULES)}")
        for key in (
            "learning_rate",
            "batch_size",
            "epochs",
            "steps",
            "accumulation",
            "clip",
            "evaluate_every",
        ):
            value = getattr(self, key)
            _require(value is None or value > 0, f"{key} is {value!r}; it must be above 0")
        for key in ("warmup", "weight_decay"):
            _require(getattr(self, key) >= 0, f"{key} is {getattr(self, key)!r}; it must not be below 0")

    @classmethod
    def from_config(cls, settings: Mapping[str, Any], **more: Any) -> Schedule:
        """Build a schedule from a section of the configuration; `more` has what comes from elsewhere."""
        legal = {entry.name for entry in fields(cls)}
        for key in settings:
            _require(key in legal, f"unknown key {key!r}; legal: {', '.join(sorted(legal))}")
        try:
            return cls(**{**settings, **more})
        except TypeError as problem:
            raise InputError(f"training settings: {problem}") from problem

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


def _require(condition: bool, message: str) -> None:
    """Raise the error that a user sees if a setting is wrong."""
    if not condition:
        raise InputError(f"training settings: {message}")


def schedule_factor(step: int, steps: int, warmup: float, schedule: str) -> float:
    """Return the share of the learning rate at an update (from 0), as in transformers.get_scheduler."""
    rise = math.ceil(warmup * steps) if warmup < 1 else int(warmup)
    if step < rise:
        return step / rise
    return 1.0 if schedule == "constant" else max(0.0, (steps - step) / max(1, steps - rise))
