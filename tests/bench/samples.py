"""What the rounds of a benchmark measured, as plain data that a process can hand to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

OURS = "ours"


@dataclass(frozen=True)
class Sample:
    """What one call took."""

    wall: float  # seconds
    processor: float  # seconds of all threads, and of processes that have ended
    megabytes: float  # on top of what was there before
    others: float  # share of all processors that other programs used meanwhile


@dataclass(frozen=True)
class Rounds:
    """The samples of all versions, and the rate of the product in every round."""

    versions: Mapping[str, list[Sample]]
    products: list[float]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rounds:
        """Undo `as_dict`."""
        versions = {name: [Sample(**each) for each in samples] for name, samples in data["versions"].items()}
        return cls(versions, list(data["products"]))
