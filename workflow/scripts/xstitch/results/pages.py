"""Pages of the report: one HTML file each, which needs no network and no other file."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import DictLoader, Environment

from xstitch.core.files import whole_file
from xstitch.core.tsv import read_records, read_tsv
from xstitch.results.page_parts import FRAME, GRID, SCRIPT, STYLE
from xstitch.results.page_template import PAGE
from xstitch.results.shown_tables import Grid, comparison_grids, rows_of, with_sign

PAPER_SCALE = "paper"


@dataclass(frozen=True)
class Heading:
    """What a page says about its table."""

    title: str
    paper: str
    scale: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)  # that make a row, by its label
    better: Mapping[str, str] = field(default_factory=dict)  # "highest" or "lowest", by column
    names: Mapping[str, str] = field(default_factory=dict)  # of languages, by column

    @property
    def warning(self) -> str:
        """What a reader must know before comparing numbers."""
        return scale_warning(self.scale)


def scale_warning(scale: str) -> str:
    """Say that numbers of a small run are not the paper's; empty for a run at the paper's scale."""
    if not scale or scale == PAPER_SCALE:
        return ""
    return f"Scale {scale}: these numbers are about its own data and cannot match the paper's."


def write_comparison_page(
    heading: Heading, table: str | Path, comparison: str | Path, path: str | Path
) -> None:
    """Write the page of a table whose cells are compared with published ones."""
    cells = read_records(comparison)
    listing = [list(cells[0]), *map(with_sign, cells)] if cells else []
    _write_table(path, heading, comparison_grids(table, comparison, heading.better), listing, table)


def write_list_page(heading: Heading, table: str | Path, path: str | Path) -> None:
    """Write the page of a table that is a list of records."""
    _write_table(path, heading, [], read_tsv(table), table)


def render(template: str, **values: object) -> str:
    """Fill in a template, which may extend `frame` and import `grid`."""
    parts = DictLoader({"frame": FRAME, "grid": GRID})
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=parts)
    environment.globals["rows_of"] = rows_of
    return environment.from_string(template).render(style=STYLE, script=SCRIPT, **values)


def write_page(path: str | Path, page: str) -> None:
    """Write a page, whole or not at all."""
    with whole_file(path) as partial:
        partial.write_text(page, encoding="utf-8")


def _write_table(
    path: str | Path,
    heading: Heading,
    grids: Sequence[Grid],
    listing: Sequence[Sequence[str]],
    table: str | Path,
) -> None:
    page = render(
        PAGE,
        heading=heading,
        grids=grids,
        listing=listing,
        listed="Every cell" if grids else "",
        numeric=_numeric(listing),
        data=base64.b64encode(Path(table).read_bytes()).decode(),
        file=Path(table).name,
    )
    write_page(path, page)


def _numeric(listing: Sequence[Sequence[str]]) -> set[str]:
    """The columns of a list that have numbers only."""
    header, *rows = listing or [[]]
    columns = {name: [row[place] for row in rows if row[place]] for place, name in enumerate(header)}
    return {name for name, values in columns.items() if values and all(map(_is_number, values))}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
