"""WikiANN in the splits of Rahimi et al. (2019): PAN-X's layout, the language before every token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from xstitch.tasks.lines import Sentence
from xstitch.tasks.panx import TAGS, read_prefixed

__all__ = ["TAGS", "read_wikiann"]


def read_wikiann(path: str | Path, language: str) -> Iterator[Sentence]:
    """Read a split; a token without its language before it is refused."""
    return read_prefixed(path, language)
