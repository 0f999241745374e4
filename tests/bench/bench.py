"""What a benchmark is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Bench:
    """Ours, and what a good engineer would use in its place, by name; all of them do the same work.

    `amount` and `unit` say how much work that is (800 texts). `operations` are the floating-point operations
    of the matrix products that the work cannot do without: they say how far ours is from the limit.
    """

    ours: Callable[[], object]
    others: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    amount: float = 0
    unit: str = ""
    operations: float = 0
    rounds: int = 7
    clock: Literal["processor", "wall"] = "processor"
    """What speed is measured by: work of several processes is done when the last of them is."""
