"""Bilingual lexica in one form, from MUSE dictionaries and a user's files; `panlex` reads PanLex."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import pyarrow as pa
import pyarrow.compute as pc

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines, some_rows

LOG = logging.getLogger("xstitch")
SCHEMA = pa.schema([("source", pa.string()), ("target", pa.string()), ("score", pa.float32())])


class Entry(NamedTuple):
    """A source word, one of its translations, and how much the origin trusts the pair."""

    source: str
    target: str
    score: float


def lexicon_table(entries: Iterable[Entry]) -> pa.Table:
    """Put entries into a table; a pair listed twice keeps its best score and its first position.

    Letters and their accents are composed, as in texts and vectors.
    """
    best: dict[tuple[str, str], float] = {}
    for source, target, score in entries:
        pair = normalize("NFC", source), normalize("NFC", target)
        best[pair] = max(score, best.get(pair, score))
    columns = zip(*((source, target, score) for (source, target), score in best.items()), strict=True)
    arrays = [list(column) for column in columns] or [[], [], []]
    return pa.table(dict(zip(SCHEMA.names, arrays, strict=True)), schema=SCHEMA)


def trusted(lexicon: pa.Table, min_score: float) -> pa.Table:
    """Drop pairs below a score; refuse a score that would drop them all."""
    passing = lexicon.filter(pc.greater_equal(lexicon["score"], pa.scalar(min_score, pa.float32())))
    if len(lexicon) and not len(passing):
        best = pc.max(lexicon["score"]).as_py()
        raise InputError(
            f"lexica: min_score {min_score:g} leaves no pair; the best score is {best:g}: lower it"
        )
    return passing


def swapped(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Turn a target-source lexicon into a source-target one."""
    return (Entry(target, source, score) for source, target, score in entries)


def read_muse(path: str | Path) -> Iterator[Entry]:
    """Read a MUSE dictionary: two words per line, separated by a space in some files, a TAB in others."""
    return some_rows(_muse_entries(path), path, "pair of words")


def _muse_entries(path: str | Path) -> Iterator[Entry]:
    for number, line in _lines(path):
        words = line.split()
        if len(words) != 2:
            problem = f"a MUSE dictionary has two words per line, not {line[:60]!r}"
            raise InputError(f"{path}:{number}: {problem}; correct or delete the line")
        yield Entry(words[0], words[1], 1.0)


def read_tsv(path: str | Path) -> Iterator[Entry]:
    """Read a user's lexicon: source, target and an optional score, TAB-separated, with or without a header.

    A word with an empty translation is left out: translation services return these for unknown words.
    """
    return some_rows(_tsv_entries(path), path, "pair of words")


def _tsv_entries(path: str | Path) -> Iterator[Entry]:
    unknown = 0
    for number, line in _lines(path):
        fields = [field.strip() for field in line.split("\t")]
        if number == 1 and [field.lower() for field in fields[:2]] == ["source", "target"]:
            continue
        if len(fields) not in (2, 3) or not fields[0]:
            problem = f"'source TAB target [TAB score]' expected, not {line[:60]!r}"
            raise InputError(f"{path}:{number}: {problem}; correct or delete the line")
        if fields[1]:
            yield Entry(fields[0], fields[1], _score(fields[2], path, number) if len(fields) == 3 else 1.0)
        else:
            unknown += 1
    if unknown:
        LOG.warning("%s: %d words have no translation and are left out", path, unknown)


def _score(field: str, path: str | Path, number: int) -> float:
    try:
        score = float(field)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"{path}:{number}: the score {field[:60]!r} is not a finite number; correct it")
    return score


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in numbered_lines(path) if line.strip())
