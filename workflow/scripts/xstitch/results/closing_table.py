"""A table as a run ends with it: our numbers with their intervals, then the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from xstitch.core.tsv import read_records

Cells = Mapping[tuple[str, str], str]
OURS = "This run, with 95 % intervals:"
THEIRS = "The paper, on its own languages and models:"


def closing_table(comparison: str | Path) -> str:
    """Show the cells of a comparison (`table.compare.tsv`) as text for a terminal."""
    records = read_records(comparison)
    ours = {(row["row"], row["column"]): _measured(row) for row in records if row["reproduced"]}
    theirs = {(row["row"], row["column"]): _rounded(row["published"]) for row in records if row["published"]}
    parts = [(OURS, ours), (THEIRS, theirs)]
    return "\n\n".join("\n".join([title, *_laid_out(cells)]) for title, cells in parts if cells)


def _measured(row: Mapping[str, str]) -> str:
    """A number and, where it is known, the interval around it."""
    known = row["low"] and row["high"]
    ends = f" [{_rounded(row['low'])} {_rounded(row['high'])}]" if known else ""
    return f"{_rounded(row['reproduced'])}{ends}"


def _rounded(number: str) -> str:
    return f"{float(number):.2f}"


def _laid_out(cells: Cells) -> list[str]:
    """Lines of a table: a row per method, a column per language."""
    rows, columns = (list(dict.fromkeys(key[side] for key in cells)) for side in (0, 1))
    lines: list[Sequence[str]] = [["", *columns]]
    lines += [[row, *(cells.get((row, column), "") for column in columns)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  " + "  ".join(field.ljust(width) for field, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
