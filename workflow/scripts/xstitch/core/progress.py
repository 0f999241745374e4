"""Progress bars that read well in a terminal and in a log file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


def progress(
    items: Iterable[Item], label: str, total: int | None = None, unit: str = "it", initial: int = 0
) -> tqdm[Item]:
    """Wrap a loop that can exceed ten seconds in a bar on standard error.

    In a log file, where carriage returns pile up, the bar is refreshed only every five seconds.
    """
    seconds = 0.2 if sys.stderr.isatty() else 5.0
    return tqdm(
        items,
        desc=label,
        total=total,
        unit=unit,
        initial=initial,
        mininterval=seconds,
        file=sys.stderr,
        dynamic_ncols=sys.stderr.isatty(),
    )
