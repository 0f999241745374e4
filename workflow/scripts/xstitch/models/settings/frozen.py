"""How a head is fitted to the states of an encoder that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from xstitch.core.settings import Count, Positive

Pooling = Literal["mean", "first"]


@dataclass(frozen=True)
class FrozenSettings:
    """What to choose from, by the loss on the source language's development texts."""

    pooling: list[Pooling] = field(default_factory=lambda: ["mean"])
    """How the states of a text become one vector: their mean, or the first of them."""
    layers: list[Count] | None = None
    """Which layers' states to try, the first being 1; null: all."""
    strengths: list[Positive] = field(default_factory=lambda: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0])
    """Inverse penalties of the logistic regression to try."""
    texts: Count | None = 20_000
    """At most so many training and development texts are read, spread evenly; null: all."""
