"""Targets that resemble one that no rule makes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

UNKNOWN = re.compile(r"No rule to produce (\S+)")
SUGGESTED = 3
ALIKE = 0.8  # all targets have long parts in common


def explain(message: str, targets: Iterable[str]) -> str | None:
    """One line for Snakemake's message on an unknown target, with the nearest ones; None: another message."""
    found = UNKNOWN.search(message)
    if not found:
        return None
    target = found.group(1)
    near = get_close_matches(target, list(targets), SUGGESTED, ALIKE)
    hint = f"did you mean {', '.join(near)}?" if near else "the head of the Snakefile lists what can be made"
    return f"error: {target}: no rule makes it; {hint}"
