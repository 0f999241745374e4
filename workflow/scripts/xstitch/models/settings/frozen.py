"""How a head is fitted to the states of an encoder that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from xstitch.core.settings import Count, CountFrom0, Positive, Share, ShareAbove0

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


@dataclass(frozen=True)
class RefitSettings:
    """How a head is fitted once more, with the help of unlabelled texts of the target language."""

    rounds: CountFrom0 = 3
    """Rounds of self-training; 0: none."""
    share: ShareAbove0 = 0.5
    """Share of the target's texts that a round learns from: the surest, as many of each class."""
    class_weights: bool = False
    """Move the answers to the target's priors, estimated as IWDA does."""
    caution: Share = 0.25
    """Share of "no shift" in the class weights; IWDA's value."""
    texts: Count | None = 20_000
    """At most so many source texts are read, spread evenly; null: all."""
