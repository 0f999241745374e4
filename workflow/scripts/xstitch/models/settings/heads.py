"""How relative heads are built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count


@dataclass(frozen=True)
class HeadSettings:
    """How relative heads are built; the defaults are those of relreps for reviews in five classes."""

    layers: Count = 2
    """Number of hidden layers."""
    width: Count | None = None
    """Width of a hidden layer; null: as wide as there are anchors."""
    activation: Literal["silu", "tanh"] = "silu"
    normalisation: Literal["texts", "none"] = "texts"
    """After each hidden layer. Texts: every unit over the texts of a batch, in tests over all texts."""
    rectified: bool = True
    """Scores below 0 count as 0."""
