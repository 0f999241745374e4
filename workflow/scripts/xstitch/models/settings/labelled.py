"""How a head is fitted to a few labelled texts of a language."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from xstitch.core.settings import Positive, Range

Labels = Annotated[int, Range(ge=2)]  # one text cannot be held out from itself


@dataclass(frozen=True)
class LabelledSettings:
    """What to choose from, by cross-validation on the labelled target texts."""

    strengths: list[Positive] = field(default_factory=lambda: [0.003, 0.03, 0.3])
    """Inverse penalties of the logistic regression to try."""
    weights: list[Positive] = field(default_factory=lambda: [1.0, 10.0])
    """How many source texts a target text may count for; not tried without source texts."""
    folds: Annotated[int, Range(ge=2)] = 3
    """Parts that the labelled target texts are dealt into; each is held out once."""
