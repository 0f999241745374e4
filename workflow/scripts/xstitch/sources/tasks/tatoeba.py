"""Tatoeba: sentences and their English translations, line by line in two files.

LASER's test sets are `tatoeba.deu-eng.deu` and `tatoeba.deu-eng.eng`; OPUS' Moses files look the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines, some_rows
from xstitch.sources.tasks.places import Places


class Translation(NamedTuple):
    """A sentence and its English translation."""

    sentence: str
    english: str


class TranslationRow(NamedTuple):
    """A pair of sentences by its number."""

    id: str
    sentence: str
    english: str


def files(lang: str, _: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of LASER's test sentences of a language and of their English translations."""
    codes = [places.languages[code]["tatoeba"] for code in (lang, places.source)]
    if not all(codes):
        raise InputError(
            f"config/languages.tsv: {lang}: its code in Tatoeba's file names is not known (column tatoeba)"
        )
    stem = f"tatoeba.{'-'.join(codes)}"
    parts = zip(("sentences", "english"), codes, strict=True)
    return {part: places.resource("tatoeba", f"{stem}.{code}") for part, code in parts}


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """Return no labels: the task is to find a sentence."""
    return ()


def read(files: Mapping[str, str], split: str, _: Mapping[str, Any]) -> Iterator[TranslationRow]:
    """Stream the test sentences; there is no other split."""
    if split == "test":
        for number, pair in enumerate(read_tatoeba(files["sentences"], files["english"]), start=1):
            yield TranslationRow(str(number), *pair)


def read_tatoeba(sentences: str | Path, english: str | Path) -> Iterator[Translation]:
    """Read two files that are line-by-line translations of each other."""
    return some_rows(_translations(sentences, english), sentences, "sentence")


def _translations(sentences: str | Path, english: str | Path) -> Iterator[Translation]:
    pairs = zip_longest(numbered_lines(sentences), numbered_lines(english))
    for number, pair in enumerate(pairs, start=1):
        for path, other, line in ((sentences, english, pair[0]), (english, sentences, pair[1])):
            if line is None:
                raise InputError(
                    f"{path}:{number}: no such line, but {other} has one; not aligned: fetch both again"
                )
            if not line[1].strip():
                raise InputError(
                    f"{path}:{line[0]}: an empty line where a sentence is expected; fetch both files again"
                )
        yield Translation(*(text.strip() for _, text in pair))
