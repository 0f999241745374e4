"""WikiANN in the splits of Rahimi et al. (2019): PAN-X's layout, with the language before every token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xstitch.sources.tasks.panx import TAGS, files, labels, read_prefixed
from xstitch.sources.tasks.rows import Sentence, SentenceRow, sentence_rows

__all__ = ["TAGS", "files", "labels", "read", "read_wikiann"]


def read(files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[SentenceRow]:
    """Stream a split in the task's language."""
    return sentence_rows(read_wikiann(files[split], task["language"])) if split in files else iter(())


def read_wikiann(path: str | Path, language: str) -> Iterator[Sentence]:
    """Read a split; refuse a token without the language before it."""
    return read_prefixed(path, language)
