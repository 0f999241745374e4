"""Which lexicon pairs become anchors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from xstitch.core.settings import Count, Range


@dataclass(frozen=True)
class AnchorRules:
    """Which lexicon pairs become anchors."""

    choice: Literal["source-frequency", "first-listed", "highest-score"] = "source-frequency"
    """Which of several translations is kept."""
    min_score: float = 0.0
    """Pairs below this lexicon score are left out."""
    size: Count | None = None
    """Size of a seeded sample of the anchors; null: all."""
    seed: int = 0
    stop_words: frozenset[str] = field(default_factory=frozenset)  # source words that are never anchors
    fold_target: bool = False  # lower-case target words, for vectors trained on lower-cased text
    pairing: Literal["one-to-one", "by-source"] = "one-to-one"
    """By-source: a target word may serve several source words."""


@dataclass(frozen=True)
class Agreement:
    """How strictly anchors are confirmed."""

    k: Count = 10
    """Each word must be among the other's k nearest."""
    folds: Annotated[int, Range(ge=2)] = 5
    csls_k: Count = 10
    seed: int = 0
