"""How two spaces are brought into one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from xstitch.core.settings import Count, Positive, Range, Share, ShareAbove0

Mode = Literal["supervised", "orthogonal", "semi-supervised", "identical", "unsupervised"]


@dataclass(frozen=True)
class SelfLearning:
    """When and on what the loop runs; the defaults are VecMap's, except the cap, which it lacks."""

    vocabulary: Count = 20_000
    """Most frequent words of each side that may enter the dictionary."""
    start_words: Count = 4_000
    """Most frequent words compared by the unsupervised start."""
    csls_k: Count = 10
    keep: ShareAbove0 = 0.1
    """Share of the scores that may win, at first."""
    growth: Annotated[float, Range(gt=1)] = 2.0
    """By which the share grows."""
    patience: Count = 50
    """Idle iterations before it grows, or before the end."""
    threshold: Positive = 1e-6
    """What counts as better, as a fraction (the objective in percent: 1e-4)."""
    max_iterations: Count = 2_000  # easy pairs need about 400, hard ones 1,000
    restarts: Count = 1
    """Runs with draws of their own, of which the one of the best objective counts."""
    seed: int = 0


@dataclass(frozen=True)
class VecmapSettings:
    """How VecMap aligns."""

    mode: Mode = "supervised"
    reweight: Share = 0.5
    """Power of the singular values on both sides (0: none)."""
    learning: SelfLearning = field(default_factory=SelfLearning)


@dataclass(frozen=True)
class RcslsSettings:
    """How the map is trained."""

    k: Count = 10
    iterations: Count = 10
    """The authors' number: more fit the training dictionary, not the language."""
    step: Positive = 25.0
    """At first; halved whenever the loss would not fall."""
    constraint: Literal["none", "spectral"] = "none"
    neighbours: Count = 200_000
    """Most frequent words of each side among which neighbours are sought."""
