"""How the parallel anchors of two spaces are searched for."""

from __future__ import annotations

from dataclasses import dataclass, field

from xstitch.core.settings import Count, CountFrom0, Positive
from xstitch.spaces.settings.alignment import SelfLearning


@dataclass(frozen=True)
class WordRules:
    """Which shared words are taken; the defaults are bootstrap's."""

    skip: CountFrom0 = 400
    """Most frequent shared words that are left out: function words, punctuation."""
    letters: CountFrom0 = 4
    """Fewest letters of a word."""
    alphabetic: bool = True
    """Only words of letters."""
    size: Count | None = 20_000
    """At most so many; null: all."""


@dataclass(frozen=True)
class SinkhornSettings:
    """How far the plan is smoothed and balanced; the defaults are those of bootstrap, Table 3."""

    eps: Positive = 1e-4
    iterations: Count = 1
    """At most."""
    stop: Positive = 1e-5
    """End when no potential moves by more."""


@dataclass(frozen=True)
class OptimisationSettings:
    """How the anchors are optimised; the defaults are those of bootstrap, Table 3, for retrieval."""

    steps: Count = 250
    learning_rate: Positive = 0.02
    sinkhorn: SinkhornSettings = field(default_factory=SinkhornSettings)
    seed: int = 0


@dataclass(frozen=True)
class AlternationSettings:
    """How words are matched; not from the paper, chosen by hand on two spaces of one language."""

    start: SinkhornSettings = field(default_factory=lambda: SinkhornSettings(eps=0.3, iterations=10))
    """Smooth: of many like words none is sure, and only mutual matches start the learning."""
    # Frequent words have the better vectors, and a fourth of the words is a sixteenth of the work.
    learning: SelfLearning = field(default_factory=lambda: SelfLearning(vocabulary=5_000, patience=5))
    vocabulary: Count = 20_000
    """Most frequent words of each side that are matched at last."""
    restarts: Count = 3
    """Runs that drop other scores."""
    seed: int = 0
