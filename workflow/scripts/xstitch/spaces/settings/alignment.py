"""How two spaces are mapped into one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from xstitch.core.settings import Count, Positive, Range, Share, ShareAbove0

Mode = Literal["supervised", "orthogonal", "semi-supervised", "identical", "unsupervised"]


@dataclass(frozen=True)
class SelfLearning:
    """How the loop runs; the defaults are VecMap's, except the cap on iterations, which it lacks."""

    vocabulary: Count = 20_000
    """Most frequent words of each side that may enter the dictionary."""
    start_words: Count = 4_000
    """Most frequent words compared by the unsupervised start."""
    csls_k: Count = 10
    keep: ShareAbove0 = 0.1
    """Initial share of the scores that may win."""
    growth: Annotated[float, Range(gt=1)] = 2.0
    """Factor by which the share grows."""
    patience: Count = 50
    """Idle iterations before the share grows or the loop ends."""
    threshold: Positive = 1e-6
    """Smallest gain that resets patience, as a fraction (in percent: 1e-4)."""
    max_iterations: Count = 2_000  # easy pairs need about 400, hard ones 1,000
    restarts: Count = 1
    """Runs with different draws; the one with the best objective counts."""
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
    """The authors' number; more of them overfit the training dictionary."""
    step: Positive = 25.0
    """Initial size; halved whenever the loss does not fall."""
    constraint: Literal["none", "spectral"] = "none"
    neighbours: Count = 200_000
    """Most frequent words of each side that can be neighbours."""
