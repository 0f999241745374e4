"""Tables as pages of the report: one HTML file each, which needs no network and no other file.

Tables can be sorted and searched by a few lines of script: the libraries for that would add half a megabyte
to every page.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment

from xstitch.core.files import whole_file
from xstitch.core.tsv import read_records, read_tsv
from xstitch.results.page_template import PAGE

PAPER_SCALE = "paper"
# What a status means, for those who do not see its colour.
SIGNS = {
    "match": "=",
    "close": "≈",
    "differs": "≠",
    "absent": "–",
    "unpublished": "new",
    "scale": "not comparable",
}


@dataclass(frozen=True)
class Heading:
    """What a page says about its table."""

    title: str
    paper: str
    scale: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)  # that make a row, by its label
    better: Mapping[str, str] = field(default_factory=dict)  # "highest" or "lowest", by column

    @property
    def warning(self) -> str:
        """What a reader must know before comparing numbers."""
        if not self.scale or self.scale == PAPER_SCALE:
            return ""
        return f"Scale {self.scale}: these numbers are about its own data and cannot match the paper's."


@dataclass(frozen=True)
class ShownCell:
    """A cell of a grid: our number with its interval, and the published one."""

    ours: str = ""
    interval: str = ""
    published: str = ""
    best: bool = False


@dataclass(frozen=True)
class Grid:
    """A table in the paper's shape."""

    title: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[ShownCell]]


def write_comparison_page(
    heading: Heading, table: str | Path, comparison: str | Path, path: str | Path
) -> None:
    """Write the page of a table whose cells are compared with published ones."""
    cells = read_records(comparison)
    header, *body = read_tsv(table)
    columns, rows = header[1:], [row[0] for row in body]
    grids = [Grid("This run", columns, _run_rows(heading, columns, body, cells))]
    others = list(
        dict.fromkeys(cell["column"] for cell in cells if cell["published"] and cell["column"] not in columns)
    )
    if others:
        grids.append(Grid("Published", others, _published_rows(others, rows, cells)))
    listing = [list(cells[0]), *(_with_sign(cell) for cell in cells)] if cells else []
    _write(path, heading, grids, listing, "Every cell", table)


def write_list_page(heading: Heading, table: str | Path, path: str | Path) -> None:
    """Write the page of a table that is a list of records."""
    _write(path, heading, [], read_tsv(table), "", table)


def _run_rows(
    heading: Heading,
    columns: Sequence[str],
    body: Sequence[Sequence[str]],
    cells: Iterable[Mapping[str, str]],
) -> dict[str, list[ShownCell]]:
    """Our numbers as the table has them, with intervals and published ones; the best are marked."""
    known = {(cell["row"], cell["column"]): cell for cell in cells}
    best = {
        column: _best([row[place] for row in body], heading.better.get(column))
        for place, column in enumerate(columns, 1)
    }
    return {
        row[0]: [
            ShownCell(
                number,
                _interval(known.get((row[0], column), {})),
                _rounded(known.get((row[0], column), {}).get("published", ""), number),
                bool(number) and float(number) == best[column],
            )
            for column, number in zip(columns, row[1:], strict=True)
        ]
        for row in body
    }


def _published_rows(
    columns: Sequence[str], rows: Iterable[str], cells: Iterable[Mapping[str, str]]
) -> dict[str, list[ShownCell]]:
    """The published numbers of columns that this run does not have."""
    known = {(cell["row"], cell["column"]): cell["published"] for cell in cells}
    shown = {row: [known.get((row, column), "") for column in columns] for row in rows}
    return {
        row: [ShownCell(_shortened(number)) for number in numbers]
        for row, numbers in shown.items()
        if any(numbers)
    }


def _best(numbers: Iterable[str], better: str | None) -> float | None:
    """The best number of a column; None if no number is better, or all are the same."""
    values = {float(number) for number in numbers if number}
    choose = {"highest": max, "lowest": min}.get(better or "")
    return choose(values) if choose and len(values) > 1 else None


def _interval(cell: Mapping[str, str]) -> str:
    low, high = cell.get("low", ""), cell.get("high", "")
    return f"{_shortened(low)} to {_shortened(high)}" if low and high else ""


def _shortened(number: str) -> str:
    """A number of a comparison without the two decimals that it has beyond the table's."""
    return number[:-2] if "." in number[:-2] else number


def _rounded(number: str, like: str) -> str:
    """A number with as many decimals as another."""
    return f"{float(number):.{len(like.partition('.')[2])}f}" if number and like else _shortened(number)


def _with_sign(cell: Mapping[str, str]) -> list[str]:
    """A row of the listing; a status is never told by colour alone."""
    status = cell.get("status", "")
    return [*list(cell.values())[:-1], f"{status} ({SIGNS[status]})" if status in SIGNS else status]


def _write(
    path: str | Path,
    heading: Heading,
    grids: Sequence[Grid],
    listing: Sequence[Sequence[str]],
    listed: str,
    table: str | Path,
) -> None:
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(PAGE)
    data = base64.b64encode(Path(table).read_bytes()).decode()
    text = page.render(
        heading=heading, grids=grids, listing=listing, listed=listed, data=data, file=Path(table).name
    )
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
