"""What a benchmark is."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Bench:
    """Two ways to the same result; `what_plain_is` says what ours is compared with."""

    what_plain_is: str
    plain: Callable[[], object]
    ours: Callable[[], object]
    rounds: int = 5
    share: float = 1.0  # of the work that the plain version does, if all of it would not fit
