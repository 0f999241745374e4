"""Which lexicon pairs become anchors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from xstitch.core.settings import Count, Range


@dataclass(frozen=True)
class AnchorRules:
    """Which lexicon pairs become anchors."""

    choice: Literal["source-frequency", "first-listed", "highest-score"] = "source-frequency"
    """Which of several translations stays."""
    min_score: float = 0.0
    """Pairs below this lexicon score are left out."""
    size: Count | None = None
    """A seeded sample of so many anchors; null: all."""
    seed: int = 0
    stop_words: frozenset[str] = field(default_factory=frozenset)  # source words that are no anchors
    fold_target: bool = False  # lower-case target words, for vectors that were trained on such text
    pairing: Literal["one-to-one", "by-source"] = "one-to-one"
    """Whether a target word may serve several source words (by-source)."""


@dataclass(frozen=True)
class Agreement:
    """How strictly anchors are confirmed."""

    k: Count = 10
    """Each word must be among the other's so many nearest."""
    folds: Annotated[int, Range(ge=2)] = 5
    csls_k: Count = 10
    seed: int = 0
