"""How vectors become relative representations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count, Positive


@dataclass(frozen=True)
class RelativeMapping:
    """How similarities to anchors become an embedding."""

    weighting: Literal["standard", "softmax", "sparsemax"]
    k: Count | None
    """Nearest anchors that count; null: all."""
    tau: Positive
    """Temperature of softmax and sparsemax; it cancels out in the standard weighting."""
    rescale: bool
    """Bring mapped rows to the mean norm of the table they replace."""
    negative: Literal["literal", "clip"] = "literal"
    """Negative cosines in the standard weighting: as they are (the paper's formula), or as 0."""
