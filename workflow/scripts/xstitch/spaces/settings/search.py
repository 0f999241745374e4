"""How the parallel anchors of two spaces are searched for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from xstitch.core.settings import Count, CountFrom0, Positive, Range, Share, ShareAbove0
from xstitch.spaces.settings.alignment import SelfLearning


@dataclass(frozen=True)
class WordRules:
    """Which shared words are taken; the defaults are bootstrap's."""

    skip: CountFrom0 = 400
    """Most frequent shared words that are left out: function words, punctuation."""
    letters: CountFrom0 = 4
    """Minimum length of a word."""
    alphabetic: bool = True
    """Only words made of letters."""
    lowercase: bool = False
    """Only words without capital letters, for cased vectors."""
    size: Count | None = 20_000
    """Maximum number of words; null: all."""


@dataclass(frozen=True)
class SinkhornSettings:
    """How much the plan is smoothed and balanced; the defaults are those of bootstrap, Table 3."""

    eps: Positive = 1e-4
    iterations: Count = 1
    """Maximum number."""
    stop: Positive = 1e-5
    """Stop when no potential moves by more than this."""


@dataclass(frozen=True)
class OptimisationSettings:
    """How the anchors are optimised; the defaults are those of bootstrap, Table 3, for retrieval."""

    steps: Count = 250
    learning_rate: Positive = 0.02
    sinkhorn: SinkhornSettings = field(default_factory=SinkhornSettings)
    hold_seeds: bool = True
    """Only the missing anchors move; false: all do, as in the paper's equation 1."""
    seed: int = 0


@dataclass(frozen=True)
class AlternationSettings:
    """How words are matched; not from the paper, chosen by hand on two spaces of one language."""

    start: SinkhornSettings = field(default_factory=lambda: SinkhornSettings(eps=0.3, iterations=10))
    """Smooth: among many similar words no match is certain; learning starts from mutual matches only."""
    # Frequent words have better vectors, and a quarter of the words is a sixteenth of the work.
    learning: SelfLearning = field(default_factory=lambda: SelfLearning(vocabulary=5_000, patience=5))
    vocabulary: Count = 20_000
    """Most frequent words of each side that are matched in the end."""
    restarts: Count = 3
    """Runs that drop different scores."""
    seed: int = 0


@dataclass(frozen=True)
class CentroidSettings:
    """How centroids are matched; the defaults are those of the program of mini-vec2vec's author."""

    clusters: Annotated[int, Range(ge=2, le=200)] = 20
    """Centroids of each side in a run."""
    runs: Count = 30
    """Clusterings of both sides, each with an assignment of its own."""
    restarts: Count = 30
    """Random starts of an assignment; the best counts."""
    sample: Count = 10_000
    """Words that a run clusters, drawn anew for each."""
    neighbours: Count = 50
    """Target words whose mean stands for the translation of a word."""
    iterations: CountFrom0 = 100
    """Refinements by nearest words."""
    refined_words: Count = 1_000
    """Words that each refinement draws."""
    smoothing: Share = 0.5
    """Share of the map before a refinement in the map after it."""
    fine_clusters: CountFrom0 = 500
    """Clusters of the last refinement; 0: none."""
    csls_k: Count = 10
    seed: int = 0


@dataclass(frozen=True)
class GromovSettings:
    """How a Gromov-Wasserstein plan is found; our values, chosen by hand on rotated copies of a space."""

    words: Annotated[int, Range(ge=10, le=5_000)] = 1_000
    """Most frequent words of each side in the plan: memory grows with their square, time with their cube."""
    first_eps: Positive = 0.2
    """Entropy of the first, smooth plan, as a share of the variances of the cosines within both spaces."""
    last_eps: Positive = 0.02
    """Entropy of the last plan."""
    steps: Count = 4
    """Plans from the first entropy to the last, each starting from the one before."""
    iterations: Count = 15
    """Most iterations for each plan."""
    trust: ShareAbove0 = 0.5
    """Share of the known pairs in the cost of a plan, if there are any."""
    csls_k: Count = 10
    seed: int = 0
