"""What happened in a training run, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Record:
    """One line of a run's history: mean training loss since the previous line, and the metric.

    `parts` has what each objective adds to the loss, if there are several.
    """

    step: int
    loss: float | None  # none before the first step
    metric: float | None = None
    parts: dict[str, float] = field(default_factory=dict)


@dataclass
class History:
    """What happened in a run; `best` is the record whose weights were kept."""

    records: list[Record] = field(default_factory=list)
    best: Record | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, without times, so that equal runs write equal files."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> History:
        """Reverse `as_dict`."""
        best = data["best"]
        return cls([Record(**entry) for entry in data["records"]], best and Record(**best))
