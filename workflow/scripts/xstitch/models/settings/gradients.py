"""How gradients of losses are measured over a fine-tuning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from xstitch.core.settings import Count, Range


@dataclass(frozen=True)
class GradientSettings:
    """When gradients are measured, and on how much data."""

    points: Annotated[int, Range(ge=2)] = 9
    """How often, at even distances, before the first update and after the last included."""
    draws: Count = 4
    """Gradients of every loss at a point, each on batches of its own: how they differ is the noise."""
    batches: Count = 4
    """Batches that a gradient is the mean of."""
    critic_updates: Count = 200
    """Updates of the new critic that every point has, before its gradient is measured."""
