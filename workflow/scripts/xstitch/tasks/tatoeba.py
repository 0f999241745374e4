"""Tatoeba: sentences and their English translations, line by line in two files.

LASER's test sets are `tatoeba.deu-eng.deu` and `tatoeba.deu-eng.eng`; OPUS' Moses files look the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from xstitch.errors import InputError
from xstitch.tasks.lines import numbered_lines, some_rows


class Translation(NamedTuple):
    """A sentence and what it is in English."""

    sentence: str
    english: str


def read_tatoeba(sentences: str | Path, english: str | Path) -> Iterator[Translation]:
    """Read two files whose lines are translations of each other."""
    return some_rows(_translations(sentences, english), sentences, "sentence")


def _translations(sentences: str | Path, english: str | Path) -> Iterator[Translation]:
    for pair in zip_longest(numbered_lines(sentences), numbered_lines(english)):
        for path, other, line in ((sentences, english, pair[0]), (english, sentences, pair[1])):
            if line is None:
                raise InputError(
                    f"{path}: ends where {other} goes on: not aligned, or not whole; fetch both again"
                )
            if not line[1].strip():
                raise InputError(
                    f"{path}:{line[0]}: an empty line, where a sentence is expected; fetch both files again"
                )
        yield Translation(*(text.strip() for _, text in pair))
