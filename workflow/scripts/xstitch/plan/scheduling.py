"""How often a run looks for jobs to start."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic


def one_at_a_time(schedule: Callable[[float], None], clock: Callable[[], float] = monotonic) -> Callable:
    """Return a version of `schedule(delay)` that does nothing while what it scheduled last is to come."""
    due = 0.0

    def schedule_unless_pending(delay: float) -> None:
        nonlocal due
        if clock() >= due:
            due = clock() + delay
            schedule(delay)

    return schedule_unless_pending
