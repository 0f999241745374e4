"""PanLex as lexica: its database (PanLex Lite), the hub's files of meanings, and its Swadesh lists."""

from __future__ import annotations

import logging
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv
import pyarrow.parquet as pq

from xstitch.core.errors import InputError
from xstitch.core.integrity import DAMAGE, WORTH_A_BAR
from xstitch.core.progress import progress
from xstitch.sources.lexica import Entry

LOG = logging.getLogger("xstitch")

# Two expressions translate each other if they share a meaning. A source of PanLex (ui) may list the same
# pair under several meanings: only its best quality counts, and the sources add up.
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
MEANING_COLUMNS = {"meaning": pa.int64(), "txt": pa.string(), "langvar_uid": pa.string()}
MEANING_ROWS = 100_000  # rows of a Parquet file in memory at a time
SWADESH_LISTS = {"swadesh110": 110, "swadesh207": 207}  # concepts, one per line
LARGEST_LIST = 1 << 20  # bytes; real lists have a few thousand


def read_panlex_lite(path: str | Path, source: str, target: str) -> Iterator[Entry]:
    """Read all pairs of two PanLex language varieties (such as eng-000, fao-000) with their quality."""
    try:
        # Immutable: SQLite's locks fail on many network file systems, and nothing writes to this file.
        address = f"file:{quote(str(path))}?mode=ro&immutable=1"
        with sqlite3.connect(address, uri=True) as database:
            _require_variety(database, path, source)
            _require_variety(database, path, target)
            for row in database.execute(PANLEX_PAIRS, (source, target)):
                yield _panlex_entry(row, path)
    except sqlite3.Error as problem:
        reason = " ".join(str(problem).split())
        raise InputError(
            f"{path}: not a PanLex Lite database with lv, ex and dnx ({reason}); fetch it again"
        ) from problem


def _panlex_entry(row: Sequence[Any], path: str | Path) -> Entry:
    """Check a pair: SQLite allows any type of value in any column."""
    if not isinstance(row[0], str) or not isinstance(row[1], str) or not isinstance(row[2], int | float):
        raise InputError(f"{path}: a pair without text or quality: {row!r:.80}; fetch the database again")
    return Entry(row[0], row[1], float(row[2]))


def read_panlex_meanings(
    source_files: Sequence[str | Path], target_files: Sequence[str | Path], source: str, target: str
) -> Iterator[Entry]:
    """Join the hub's files of two languages on meanings; a pair's score is the number of shared meanings.

    Files are TSV or Parquet and are streamed: in memory are the target variety and those rows of the source
    that share a meaning with it, because English alone has millions of rows.
    """
    targets = _expressions(target_files, target)
    sources = _expressions(source_files, source, np.unique(targets["meaning"].to_numpy()))
    pairs = sources.rename_columns(["meaning", "source"]).join(
        targets.rename_columns(["meaning", "target"]), "meaning", join_type="inner"
    )
    counted = pairs.group_by(["source", "target"]).aggregate([("meaning", "count")])
    for batch in counted.sort_by([("source", "ascending"), ("target", "ascending")]).to_batches():
        yield from map(Entry, *(batch.column(name).to_pylist() for name in counted.column_names))


def read_swadesh(archive: str | Path, source: str, target: str) -> Iterator[Entry]:
    """Read PanLex's Swadesh lists: words of two varieties on the same line express the same concept."""
    sources, targets = (_swadesh_lists(Path(archive), uid) for uid in (source, target))
    for kind in sorted(sources.keys() & targets.keys()):
        for source_words, target_words in zip(sources[kind], targets[kind], strict=True):
            yield from (Entry(s, t, 1.0) for s in source_words for t in target_words)


def _require_variety(database: sqlite3.Connection, path: str | Path, uid: str) -> None:
    if not database.execute("SELECT 1 FROM lv WHERE uid = ?", (uid,)).fetchone():
        remedy = "correct the column panlex of languages.tsv"
        raise InputError(f"{path}: PanLex has no language variety {uid!r}; {remedy}")


def _expressions(files: Sequence[str | Path], uid: str, meanings: np.ndarray | None = None) -> pa.Table:
    """Collect a variety's meanings and texts, each pair once; given sorted meanings, only these."""
    expressions, varieties = [], set()
    for path in map(Path, files):
        for batch in _meaning_batches(path):
            varieties.update(pc.unique(batch["langvar_uid"]).to_pylist())
            rows = batch.filter(pc.equal(batch["langvar_uid"], uid)).select(["meaning", "txt"]).drop_null()
            if meanings is not None:
                rows = rows.filter(_among(rows["meaning"].to_numpy(), meanings))
            expressions.append(rows)
    if uid not in varieties:
        present = ", ".join(sorted(filter(None, varieties))[:5]) or "none"
        remedy = "correct the column panlex of languages.tsv"
        raise InputError(f"{files[0]}: has no variety {uid!r}, but {present}; {remedy}")
    return pa.concat_tables(expressions).group_by(["meaning", "txt"]).aggregate([])


def _meaning_batches(path: Path) -> Iterator[pa.Table]:
    """Stream the required columns, cast to their types."""
    columns = list(MEANING_COLUMNS)
    try:
        batches = _open_meanings(path, columns)
        if path.stat().st_size > WORTH_A_BAR:
            batches = progress(batches, f"read {path.name}", unit="batch")
        for batch in batches:
            yield pa.Table.from_batches([batch]).select(columns).cast(pa.schema(MEANING_COLUMNS))
    except (pa.ArrowException, OSError, KeyError) as problem:
        reason, required = " ".join(str(problem).split())[:120], ", ".join(columns)
        raise InputError(
            f"{path}: not a file of meanings with the columns {required} ({reason}); fetch it again"
        ) from problem


def _open_meanings(path: Path, columns: list[str]) -> Iterable[pa.RecordBatch]:
    """Open TSV or Parquet; the hub's conversion to Parquet has turned words such as "NA" into nulls."""
    with path.open("rb") as stream:
        is_parquet = stream.read(4) == b"PAR1"
    if is_parquet:
        return pq.ParquetFile(path).iter_batches(MEANING_ROWS, columns=columns)
    return pv.open_csv(
        path,
        read_options=pv.ReadOptions(use_threads=False),  # with threads, errors do not name the row
        parse_options=pv.ParseOptions(delimiter="\t", newlines_in_values=True),
        convert_options=pv.ConvertOptions(column_types=MEANING_COLUMNS, include_columns=columns),
    )


def _among(values: np.ndarray, sorted_values: np.ndarray) -> np.ndarray:
    return np.searchsorted(sorted_values, values) < np.searchsorted(sorted_values, values, "right")


def _swadesh_lists(archive: Path, uid: str) -> dict[str, list[list[str]]]:
    """Find a variety's words by kind of list and concept; one without lists gets those of its language."""
    members = _swadesh_members(archive, uid.partition("-")[0])
    variety_members = [name for name in members if Path(name).stem == uid]
    if not members:
        remedy = "correct the column panlex of languages.tsv"
        raise InputError(f"{archive}: has no list for {uid!r}; {remedy}")
    if not variety_members:
        LOG.warning("%s: no list of %s; using its language's: %s", archive, uid, ", ".join(members))
    lists: dict[str, list[list[str]]] = {}
    for name in variety_members or members:
        kind = Path(name).parent.name
        words = _swadesh_list(members[name], f"{archive}: {name}", SWADESH_LISTS[kind])
        lists[kind] = [a + b for a, b in zip(lists.get(kind, [[]] * len(words)), words, strict=True)]
    return lists


def _swadesh_members(archive: Path, language: str) -> dict[str, bytes]:
    """Unpack the lists of all varieties of a language, sorted by name."""
    prefixes = tuple(f"panlex_swadesh/{kind}/{language}-" for kind in SWADESH_LISTS)
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [entry for entry in opened.infolist() if entry.filename.startswith(prefixes)]
            if any(entry.file_size > LARGEST_LIST for entry in entries):
                problem = f"a list of {language} has more than {LARGEST_LIST} bytes"
                raise InputError(f"{archive}: {problem}; refused, get the archive elsewhere")
            return {e.filename: opened.read(e) for e in sorted(entries, key=lambda e: e.filename)}
    except DAMAGE as problem:
        raise InputError(f"{archive}: cannot be unpacked ({problem}); download it again") from problem


def _swadesh_list(content: bytes, label: str, concepts: int) -> list[list[str]]:
    """Split a list into words by concept; TABs separate the words of a line, which may be empty."""
    try:
        lines = content.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError as problem:
        reason = f"{problem.reason} at byte {problem.start}"
        raise InputError(f"{label}: not UTF-8 text ({reason}); fetch the archive again") from problem
    if len(lines) != concepts:
        counts = f"has {len(lines)} lines, not {concepts}, one per concept"
        raise InputError(f"{label}: {counts}; fetch the archive again")
    return [[word.strip() for word in line.split("\t") if word.strip()] for line in lines]
