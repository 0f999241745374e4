"""Tables as readers see them: our numbers with intervals, the published ones, the best of each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xstitch.core.tsv import read_records, read_tsv

# What a status means, for those who do not see its colour.
SIGNS = {
    "match": "=",
    "close": "≈",
    "differs": "≠",
    "absent": "–",
    "unpublished": "new",
    "scale": "not comparable",
    "partial": "not comparable",
}
JUDGED = ("match", "close", "differs")  # what a cell says itself; a page says once that a scale is another
MINUS = "−"  # as wide as a plus


@dataclass(frozen=True)
class ShownCell:
    """A cell of a grid: our number with its interval, the published one, and how far they are apart."""

    ours: str = ""
    interval: str = ""
    published: str = ""
    difference: str = ""
    status: str = ""
    best: bool = False


@dataclass(frozen=True)
class Grid:
    """A table in the paper's shape."""

    title: str
    corner: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[ShownCell]]


Comparison = Sequence[Mapping[str, str]]  # the records of a .compare.tsv file


def comparison_grids(table: str | Path, comparison: str | Path, better: Mapping[str, str]) -> list[Grid]:
    """Show a table: this run's columns and, if the paper has others, the published numbers of those.

    `better` says by column whether the "highest" or the "lowest" number is the best.
    """
    cells = read_records(comparison)
    header, *body = read_tsv(table)
    corner, *columns = header
    grids = [Grid("This run", corner, columns, _run_rows(better, columns, body, cells))]
    others = dict.fromkeys(
        cell["column"] for cell in cells if cell["published"] and cell["column"] not in columns
    )
    if others:
        grids.append(Grid("Published", corner, list(others), _published_rows(better, list(others), cells)))
    return grids


def rows_of(grids: Iterable[Grid]) -> list[str]:
    """The rows of grids that stand side by side, each once, in the order of the first."""
    return list(dict.fromkeys(row for grid in grids for row in grid.rows))


def with_sign(cell: Mapping[str, str]) -> list[str]:
    """A record of a comparison as a row of a list; a status is never told by colour alone."""
    status = cell.get("status", "")
    return [*list(cell.values())[:-1], f"{status} ({SIGNS[status]})" if status in SIGNS else status]


def _run_rows(
    better: Mapping[str, str], columns: Sequence[str], body: Sequence[Sequence[str]], cells: Comparison
) -> dict[str, list[ShownCell]]:
    """Our numbers as the table has them, with intervals and published ones; the best are marked."""
    known = {(cell["row"], cell["column"]): cell for cell in cells}
    best = {
        column: _best([row[place] for row in body], better.get(column))
        for place, column in enumerate(columns, 1)
    }
    return {
        row[0]: [
            _shown(number, known.get((row[0], column), {}), best[column])
            for column, number in zip(columns, row[1:], strict=True)
        ]
        for row in body
    }


def _shown(number: str, cell: Mapping[str, str], best: float | None) -> ShownCell:
    status = cell.get("status", "")
    return ShownCell(
        number,
        _interval(cell),
        _rounded(cell.get("published", ""), number),
        _signed(cell.get("difference", "")),
        f"{SIGNS[status]} {status}" if status in JUDGED else "",
        bool(number) and float(number) == best,
    )


def _published_rows(
    better: Mapping[str, str], columns: Sequence[str], cells: Comparison
) -> dict[str, list[ShownCell]]:
    """The published numbers of columns that this run does not have; the best are marked."""
    known = {(cell["row"], cell["column"]): cell["published"] for cell in cells}
    rows = dict.fromkeys(row for (row, column), number in known.items() if number and column in columns)
    best = {
        column: _best([known.get((row, column), "") for row in rows], better.get(column))
        for column in columns
    }
    return {row: [_published(known.get((row, name), ""), best[name]) for name in columns] for row in rows}


def _published(number: str, best: float | None) -> ShownCell:
    return ShownCell(_shortened(number), best=bool(number) and float(number) == best)


def _best(numbers: Iterable[str], better: str | None) -> float | None:
    """The best number of a column; None if no number is better, or all are the same."""
    values = {float(number) for number in numbers if number}
    choose = {"highest": max, "lowest": min}.get(better or "")
    return choose(values) if choose and len(values) > 1 else None


def _interval(cell: Mapping[str, str]) -> str:
    low, high = cell.get("low", ""), cell.get("high", "")
    return f"{_shortened(low)} to {_shortened(high)}" if low and high else ""


def _signed(difference: str) -> str:
    """A difference with its sign, as long as the numbers it is between."""
    if not difference:
        return ""
    return f"{MINUS if difference.startswith('-') else '+'}{_shortened(difference.lstrip('+-'))}"


def _shortened(number: str) -> str:
    """A number of a comparison, rounded to the table's decimals: a comparison has two more."""
    decimals = len(number.partition(".")[2])
    return f"{float(number):.{decimals - 2}f}" if decimals >= 2 else number


def _rounded(number: str, like: str) -> str:
    """A number with as many decimals as another."""
    return f"{float(number):.{len(like.partition('.')[2])}f}" if number and like else _shortened(number)
