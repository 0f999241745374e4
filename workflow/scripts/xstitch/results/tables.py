"""Tables of papers: the published numbers typed once, ours computed, both in the paper's shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.tsv import read_tsv, tsv_rows, write_tsv
from xstitch.results.scores import Score

COMPARE_COLUMNS = ("row", "column", "published", "reproduced", "sd", "seeds", "difference", "scale", "status")
REFERENCE_COLUMNS = ("table", "row", "column", "metric", "value", "spread", "note")
# Published tables round to two decimals and average few seeds: within a point is the same number, within
# five the same finding.
MATCH, CLOSE = 0.01, 0.05


@dataclass(frozen=True)
class Cell:
    """What is known of one cell: the published number, ours, or both."""

    published: float | None = None
    values: tuple[float, ...] = ()

    @property
    def reproduced(self) -> float | None:
        """The mean over seeds."""
        return fmean(self.values) if self.values else None

    @property
    def sd(self) -> float | None:
        """The sample deviation over seeds."""
        return stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours minus the published number."""
        if self.published is None or self.reproduced is None:
            return None
        return self.reproduced - self.published

    def status(self, scale: str, whole: float | None = 1.0) -> str:
        """Judge the cell; only a run at the paper's scale can match or differ.

        `whole` is 100 for percent, None for counts, whose differences are shares of the published number.
        """
        if self.reproduced is None:
            return "absent"
        if scale != "paper":
            return "scale"
        if self.difference is None:
            return "unpublished"
        # Rounded: 0.31 - 0.30 is a hair above 0.01 in floats.
        distance = round(abs(self.difference) / (whole or self.published), 6)
        return "match" if distance <= MATCH else "close" if distance <= CLOSE else "differs"


Grid = dict[tuple[str, str], Cell]


def read_reference(path: str | Path, table: str) -> dict[tuple[str, str], float]:
    """Read the published numbers of one table by row and column."""
    (_, header), *lines = tsv_rows(path) or [(1, [])]
    if tuple(header) != REFERENCE_COLUMNS:
        columns = " ".join(REFERENCE_COLUMNS)
        raise InputError(f"{path}:1: a reference file has the columns {columns}; correct the line")
    cells: dict[tuple[str, str], float] = {}
    for number, fields in lines:
        row = dict(zip(REFERENCE_COLUMNS, fields, strict=False))
        if len(fields) != len(header):
            raise InputError(
                f"{path}:{number}: {len(header)} columns expected, not {len(fields)}; correct it"
            )
        if row["table"] == table:
            place = (row["row"], row["column"])
            if place in cells:
                shown = " and ".join(place)
                raise InputError(
                    f"{path}:{number}: the cell {shown} of table {table} is here twice; delete one"
                )
            cells[place] = _published(row["value"], f"{path}:{number}")
    return cells


def _published(value: str, place: str) -> float:
    try:
        return float(value)
    except ValueError as problem:
        raise InputError(f"{place}: the value {value[:60]!r} is not a number; correct it") from problem


# What a score's column is: its target language; its language if it stays within one; its two languages in
# this order, or in any; whether it goes from the source language (first column) or to it; whether it crosses
# languages (first column) or stays within one. A score of no column is left out.
COLUMNS: dict[str, Callable[[Score, Sequence[str], str], str]] = {
    "target": lambda score, _, __: score.tgt,
    "language": lambda score, _, __: score.tgt if score.src == score.tgt else "",
    "pair": lambda score, _, __: f"{score.src}-{score.tgt}",
    "couple": lambda score, _, __: "-".join(sorted((score.src, score.tgt))),
    "direction": lambda score, columns, source: columns[score.src != source],
    "crossing": lambda score, columns, _: columns[score.src == score.tgt],
}


def fill_grid(
    spec: Mapping[str, Any], published: Mapping[tuple[str, str], float], scores: Iterable[Score], source: str
) -> Grid:
    """Bring published and reproduced numbers together, cell by cell.

    A column that holds several languages or pairs shows their mean, over the pairs that every row has; the
    deviation is always over seeds. Several rows may show one recipe. Score files hold shares; where a table's
    `whole` is 100, they become percent here and nowhere else.
    """
    scores = [score for score in scores if score.split == spec["split"] and _rows_of(score, spec)]
    columns_of = _columns_of(spec, scores, source)
    found: dict[tuple[str, str], dict[int, list[float]]] = {}
    for score in scores:
        for place in product(_rows_of(score, spec), columns_of(score)):
            value = score.value * (spec.get("whole") or 1)
            found.setdefault(place, {}).setdefault(score.seed, []).append(value)
    cells = {place: {seed: fmean(many) for seed, many in seeds.items()} for place, seeds in found.items()}
    values = {place: tuple(seeds.values()) for place, seeds in cells.items()}
    if "average" in spec:
        for row in dict.fromkeys(row for row, _ in cells):
            values[row, spec["average"]] = _average([cells[place] for place in cells if place[0] == row])
    places = dict.fromkeys([*published, *values])
    return {place: Cell(published.get(place), values.get(place, ())) for place in places}


def _rows_of(score: Score, spec: Mapping[str, Any]) -> list[str]:
    """The rows that show a score; a row may have a metric of its own, and columns that are measures do."""
    measured = "measures" in spec
    return [
        row["row"]
        for row in spec["rows"]
        if row["recipe"] == score.recipe and (measured or score.metric == row.get("metric", spec["metric"]))
    ]


def _columns_of(
    spec: Mapping[str, Any], scores: Sequence[Score], source: str
) -> Callable[[Score], list[str]]:
    """Make the function that names the columns which a score belongs to."""
    if "held" in spec:  # by xstitch.results.columns
        return lambda score: [
            column
            for column, part in spec["held"].items()
            if (score.task, score.metric) == (part["task"], part["metric"]) and score.tgt in part["languages"]
        ]
    shared = _shared_pairs(scores)
    averaged = spec["column"] in ("direction", "crossing")

    def columns_of(score: Score) -> list[str]:
        column = _column_of(score, spec, source)
        kept = not averaged or (score.src, score.tgt) in shared
        return [column] if column in spec["columns"] and kept else []

    return columns_of


def _column_of(score: Score, spec: Mapping[str, Any], source: str) -> str:
    """The column of a score; `measure` columns are called by measure and `place`, such as `MAE en-es`."""
    if spec["column"] != "measure":
        return COLUMNS[spec["column"]](score, spec["columns"], source)
    place = COLUMNS[spec.get("place", "target")](score, spec["columns"], source)
    for name, measure in spec["measures"].items():
        if (measure["task"], measure["metric"]) == (score.task, score.metric):
            return f"{name} {place}"
    return ""


def _average(columns: Sequence[Mapping[int, float]]) -> tuple[float, ...]:
    """Average columns seed by seed; one with a single value, perhaps of no seed at all, counts in all."""
    seeded = [column for column in columns if len(column) > 1]
    alone = [value for column in columns if len(column) == 1 for value in column.values()]
    if not seeded:
        return (fmean(alone),)
    shared = sorted(set.intersection(*map(set, seeded)))
    return tuple(fmean([*alone, *(column[seed] for column in seeded)]) for seed in shared)


def _shared_pairs(scores: Iterable[Score]) -> set[tuple[str, str]]:
    by_recipe: dict[str, set[tuple[str, str]]] = {}
    for score in scores:
        by_recipe.setdefault(score.recipe, set()).add((score.src, score.tgt))
    return set.intersection(*by_recipe.values()) if by_recipe else set()


def table_path(paper: str, table: str) -> str:
    """Where a table lies: numbered ones as table1, what a paper's text tells in numbers by its name."""
    return f"results/tables/{paper}/{f'table{table}' if table.isdigit() else table}.tsv"


def row_label(row: str, value: int | None) -> str:
    """The label of a row that stands for a value, with this run's own value where it is another.

    A value of None is all there are, which the paper prints as a number.
    """
    own = "all" if value is None else str(value)
    return row if own == row else f"{row} (here {own})"


def shown_columns(spec: Mapping[str, Any]) -> list[str]:
    """The columns of a table, the average of all of them included."""
    return [*spec["columns"], *([spec["average"]] if "average" in spec else [])]


def write_table(spec: Mapping[str, Any], grid: Grid, path: str | Path) -> None:
    """Write our numbers in the paper's shape and precision."""
    columns = shown_columns(spec)
    rows = []
    for row in spec["rows"]:
        cells = [grid.get((row["row"], column), Cell()).reproduced for column in columns]
        rows.append([_shown(row), *(_number(cell, spec["decimals"]) for cell in cells)])
    write_tsv(path, [spec["corner"], *columns], rows)


def write_comparison(spec: Mapping[str, Any], grid: Grid, scale: str, path: str | Path) -> None:
    """Write every published and every reproduced cell with its status, two decimals finer than the paper."""
    decimals = spec["decimals"] + 2
    columns = dict.fromkeys([*shown_columns(spec), *(column for _, column in grid)])
    rows = []
    for row in spec["rows"]:
        for column in columns:
            cell = grid.get((row["row"], column))
            if cell is not None:
                numbers = [cell.published, cell.reproduced, cell.sd]
                ending = [
                    len(cell.values),
                    _number(cell.difference, decimals),
                    scale,
                    cell.status(scale, spec.get("whole", 1.0)),
                ]
                rows.append(
                    [_shown(row), column, *(_number(number, decimals) for number in numbers), *ending]
                )
    write_tsv(path, COMPARE_COLUMNS, rows)


def side_by_side(table: str | Path, comparison: str | Path) -> str:
    """Lay our table and the published one beside each other as text for a terminal."""
    ours = read_tsv(table)
    compared = read_tsv(comparison)
    header, body = ours[0], ours[1:]
    published = {(row[0], row[1]): row[2] for row in compared[1:] if row[2]}
    columns = list(dict.fromkeys(column for _, column in published))
    lines = [[*header, "|", *columns]]
    for row in body:
        theirs = [
            f"{float(cell):.2f}" if (cell := published.get((row[0], column))) else "" for column in columns
        ]
        lines.append([*row, "|", *theirs])
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    text = [
        "  ".join(field.ljust(width) for field, width in zip(line, widths, strict=True)) for line in lines
    ]
    return "\n".join(line.rstrip() for line in text)


def _shown(row: Mapping[str, str]) -> str:
    return row.get("shown", row["row"])


def _number(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"
