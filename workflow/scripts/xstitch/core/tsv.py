"""Small tab-separated tables: written whole or not at all, read as rows or as records."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.files import whole_file
from xstitch.core.lines import numbered_lines


def write_tsv(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a header and rows, whole or not at all."""
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def read_tsv(path: str | Path) -> list[list[str]]:
    """Read what `write_tsv` wrote, the header first."""
    with Path(path).open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="\t"))


def write_records(rows: Iterable[Mapping[str, str]], path: str | Path) -> None:
    """Write records with the same keys, one per row."""
    rows = list(rows)
    write_tsv(path, list(rows[0]), [list(row.values()) for row in rows])


def read_records(path: str | Path) -> list[dict[str, str]]:
    """Read what `write_records` wrote."""
    header, *rows = read_tsv(path)
    return [dict(zip(header, row, strict=True)) for row in rows]


def tsv_rows(path: str | Path) -> list[tuple[int, list[str]]]:
    """Read a small table that may have quoted fields: its rows with line numbers, the header first."""
    reader = csv.reader((line for _, line in numbered_lines(path)), delimiter="\t")
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as problem:
        location = f"{path}:{reader.line_num}"
        raise InputError(f"{location}: not a tab-separated table ({problem}); restore it") from problem
