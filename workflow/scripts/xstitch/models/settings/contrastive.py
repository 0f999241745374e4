"""How a body is tuned on pairs of labelled texts before a head is fitted."""

from __future__ import annotations

from dataclasses import dataclass

from xstitch.core.settings import Count, Positive


@dataclass(frozen=True)
class ContrastiveSettings:
    """Which pairs of labelled target texts a body is tuned on, and the head that follows."""

    rounds: Count = 20
    """In every round, each text is paired with one of its label and with one of another."""
    max_pairs: Count | None = 2000
    """Pairs after which the rounds end, so that many labels stay affordable; null: all rounds."""
    strength: Positive = 0.03
    """Inverse penalty of the logistic regression."""
