"""Bilingual lexica: MUSE dictionaries, PanLex Lite, a user's own file, read to one shape."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pyarrow as pa

from xstitch.errors import InputError

SCHEMA = pa.schema([("source", pa.string()), ("target", pa.string()), ("score", pa.float32())])


class Entry(NamedTuple):
    """A source word, one translation of it, and how far its origin trusts the pair."""

    source: str
    target: str
    score: float


def lexicon_table(entries: Iterable[Entry]) -> pa.Table:
    """Put entries into a table; of a pair listed twice the best score stays, at the first place."""
    best: dict[tuple[str, str], float] = {}
    for source, target, score in entries:
        best[source, target] = max(score, best.get((source, target), score))
    columns = zip(*((source, target, score) for (source, target), score in best.items()), strict=True)
    arrays = [list(column) for column in columns] or [[], [], []]
    return pa.table(dict(zip(SCHEMA.names, arrays, strict=True)), schema=SCHEMA)


def read_muse(path: str | Path) -> Iterator[Entry]:
    """Read a MUSE dictionary: two words a line, separated by a space in some files, a TAB in others."""
    for number, line in _lines(path):
        words = line.split()
        if len(words) != 2:
            raise InputError(f"{path}:{number}: a MUSE dictionary has two words a line, not {line!r}")
        yield Entry(words[0], words[1], 1.0)


def read_tsv(path: str | Path) -> Iterator[Entry]:
    """Read a user's lexicon: source, target and an optional score, TAB-separated; a header may lead."""
    for number, line in _lines(path):
        fields = [field.strip() for field in line.split("\t")]
        if number == 1 and [field.lower() for field in fields[:2]] == ["source", "target"]:
            continue
        if len(fields) not in (2, 3) or not all(fields[:2]):
            raise InputError(f"{path}:{number}: 'source TAB target [TAB score]' expected, not {line!r}")
        yield Entry(fields[0], fields[1], _score(fields[2], path, number) if len(fields) == 3 else 1.0)


def _score(field: str, path: str | Path, number: int) -> float:
    try:
        return float(field)
    except ValueError as problem:
        raise InputError(f"{path}:{number}: the score {field!r} is not a number") from problem


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    try:
        with Path(path).open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield number, line.rstrip("\n")
    except UnicodeDecodeError as problem:
        raise InputError(f"{path}: not UTF-8 text ({problem.reason} at byte {problem.start})") from problem


# Two expressions translate each other if they share a meaning. One source of PanLex (ui) may list the
# same pair under several meanings: its best quality counts once, and the sources add up.
PANLEX_PAIRS = """
    SELECT source_text, target_text, SUM(quality) FROM (
        SELECT s.tt AS source_text, t.tt AS target_text, MAX(sd.uq) AS quality
        FROM lv AS sl
        JOIN ex AS s ON s.lv = sl.lv
        JOIN dnx AS sd ON sd.ex = s.ex
        JOIN dnx AS td ON td.mn = sd.mn
        JOIN ex AS t ON t.ex = td.ex
        JOIN lv AS tl ON tl.lv = t.lv
        WHERE sl.uid = ? AND tl.uid = ?
        GROUP BY s.ex, t.ex, sd.ui
    )
    GROUP BY source_text, target_text
    ORDER BY source_text, target_text
"""


def read_panlex_lite(path: str | Path, source: str, target: str) -> Iterator[Entry]:
    """Read all pairs of two PanLex language varieties (such as eng-000, fao-000) with their quality."""
    try:
        # Immutable: SQLite's locks fail on many network file systems, and nothing writes to this file.
        address = f"file:{quote(str(path))}?mode=ro&immutable=1"
        with sqlite3.connect(address, uri=True) as database:
            _require_variety(database, path, source)
            _require_variety(database, path, target)
            for row in database.execute(PANLEX_PAIRS, (source, target)):
                yield Entry(row[0], row[1], float(row[2]))
    except sqlite3.Error as problem:
        raise InputError(f"{path}: not a PanLex Lite database with lv, ex and dnx ({problem})") from problem


def _require_variety(database: sqlite3.Connection, path: str | Path, uid: str) -> None:
    if not database.execute("SELECT 1 FROM lv WHERE uid = ?", (uid,)).fetchone():
        raise InputError(f"{path}: PanLex has no language variety {uid!r} (column panlex of languages.tsv)")
