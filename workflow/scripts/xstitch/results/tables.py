"""Tables of papers: the published numbers, ours, and their comparison, in the paper's shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.tsv import tsv_rows, write_tsv
from xstitch.results.columns import column_of
from xstitch.results.ranges import Range, range_of
from xstitch.results.resampling import Run, Runs, covered_levels, hierarchical_interval, run_of
from xstitch.results.scores import Score

COMPARE_COLUMNS = (
    *("row", "column", "published", "reproduced", "low", "high", "covers"),
    *("sd", "seeds", "chains", "difference", "scale", "status"),
)
REFERENCE_COLUMNS = ("table", "row", "column", "metric", "value", "spread", "note")
# Published tables round to two decimals and average few seeds: within one point it is the same number, within
# five the same finding.
MATCH, CLOSE = 0.01, 0.05


@dataclass(frozen=True)
class Cell:
    """What is known about one cell: the published number, ours, or both.

    A run's value is an array: the number, and its resamples if there are any.
    """

    published: float | None = None
    runs: Runs = field(default_factory=dict)
    within: Range | None = None  # the numbers that it can be
    partial: bool = False  # whether it is the average of fewer columns than the published number

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers of all runs."""
        return tuple(float(run[0]) for run in self.runs.values())

    @property
    def chains(self) -> int:
        """The number of chains that the runs are of."""
        return len({chain for chain, _ in self.runs})

    @property
    def seeds(self) -> int:
        """The number of seeds of fine-tuning."""
        return len({seed for _, seed in self.runs})

    @property
    def reproduced(self) -> float | None:
        """The mean over runs."""
        return fmean(self.values) if self.values else None

    @property
    def sd(self) -> float | None:
        """The sample standard deviation over runs."""
        return stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours minus the published number."""
        if self.published is None or self.reproduced is None:
            return None
        return self.reproduced - self.published

    def status(self, scale: str, whole: float | None = 1.0) -> str:
        """Judge the cell; only a run at the paper's scale can match or differ.

        `whole` is 100 for percent; None for counts, whose difference is relative to the published number.
        """
        if self.reproduced is None:
            return "absent"
        if scale != "paper":
            return "scale"
        if self.difference is None:
            return "unpublished"
        if self.partial:
            return "partial"
        # Rounded, since 0.31 - 0.30 is slightly above 0.01 in floats. A count of 0 has no share.
        distance = round(abs(self.difference) / (whole or self.published or 1), 6)
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
            key = (row["row"], row["column"])
            if key in cells:
                cell = " and ".join(key)
                raise InputError(
                    f"{path}:{number}: the cell {cell} of table {table} is here twice; delete one"
                )
            cells[key] = _published(row["value"], f"{path}:{number}")
    return cells


def _published(value: str, line: str) -> float:
    try:
        return float(value)
    except ValueError as problem:
        raise InputError(f"{line}: the value {value[:60]!r} is not a number; correct it") from problem


def fill_grid(
    spec: Mapping[str, Any], published: Mapping[tuple[str, str], float], scores: Iterable[Score], source: str
) -> Grid:
    """Bring published and reproduced numbers together, cell by cell.

    A column of several languages or pairs shows their mean, over the pairs that every row has (with `gaps`,
    over those that the row has; with `over`, only over pairs of these languages with the source). The
    deviation is always over seeds. Several rows may show one recipe; a row with `minus` shows how much it is
    above another row. Score files have fractions; if a table's `whole` is 100, they become percent here and
    nowhere else.
    """
    scores = [score for score in scores if score.split == spec["split"] and _rows_of(score, spec)]
    columns_of = _columns_of(spec, scores, source)
    collected: dict[tuple[str, str], dict[Run, list[np.ndarray]]] = {}
    metrics: dict[tuple[str, str], set[str]] = {}
    for score in scores:
        value = np.atleast_1d(score.value) * (spec.get("whole") or 1)
        for key in product(_rows_of(score, spec), columns_of(score)):
            collected.setdefault(key, {}).setdefault(run_of(score), []).append(value)
            metrics.setdefault(key, set()).add(score.metric)
    means = {
        key: {run: np.mean(many, axis=0) for run, many in runs.items()} for key, runs in collected.items()
    }
    means = _with_differences(spec, means)
    if "average" in spec:
        for row in dict.fromkeys(row for row, _ in means):
            means[row, spec["average"]] = _average([means[key] for key in [*means] if key[0] == row])
    keys = dict.fromkeys([*published, *means])
    return {
        key: Cell(
            published.get(key),
            means.get(key, {}),
            _range_of_cell(spec, metrics, key),
            _is_partial(spec, published, means, key),
        )
        for key in keys
    }


def _is_partial(
    spec: Mapping[str, Any],
    published: Mapping[tuple[str, str], float],
    means: Mapping[tuple[str, str], Runs],
    key: tuple[str, str],
) -> bool:
    """Tell whether a cell is the average of fewer columns than the published one."""
    row, column = key
    in_row = [other for other in published if other[0] == row and other != key]
    return column == spec.get("average") and any(other not in means for other in in_row)


def _range_of_cell(
    spec: Mapping[str, Any], metrics: Mapping[tuple[str, str], set[str]], key: tuple[str, str]
) -> Range | None:
    """Return the range of a cell's numbers; the average column has that of all columns of its row."""
    in_row = set().union(*(names for (row, _), names in metrics.items() if row == key[0]))
    within = range_of(metrics.get(key, in_row), spec.get("whole") or 1)
    is_difference = any("minus" in row for row in spec["rows"] if row["row"] == key[0])
    return within.of_differences() if within and is_difference else within


def _with_differences(
    spec: Mapping[str, Any], means: Mapping[tuple[str, str], Runs]
) -> dict[tuple[str, str], Runs]:
    """Subtract from a row, run by run, the one that it names as its `minus`; without that, it is empty.

    In a chain, an only run of one row is paired with every seed of the other.
    """
    subtracted = {row["row"]: row["minus"] for row in spec["rows"] if "minus" in row}
    shown = {key: runs for key, runs in means.items() if key[0] not in subtracted}
    for (row, column), runs in means.items():
        other = means.get((subtracted.get(row, ""), column), {})
        if differences := _differences(runs, other):
            shown[row, column] = differences
    return shown


def _differences(runs: Runs, other: Runs) -> Runs:
    differences = {}
    for chain in sorted(_chains(runs) & _chains(other)):
        one, two = _of_chain(runs, chain), _of_chain(other, chain)
        if len(one) == 1:
            one = dict.fromkeys(two, *one.values())
        elif len(two) == 1:
            two = dict.fromkeys(one, *two.values())
        differences |= {(chain, seed): one[seed] - two[seed] for seed in one if seed in two}
    return differences


def _rows_of(score: Score, spec: Mapping[str, Any]) -> list[str]:
    """Return the rows that show a score; a row may have its own metric, and so may columns (measures)."""
    measured = "measures" in spec
    return [
        row["row"]
        for row in spec["rows"]
        if row["recipe"] == score.recipe and (measured or score.metric == row.get("metric", spec["metric"]))
    ]


def _columns_of(
    spec: Mapping[str, Any], scores: Sequence[Score], source: str
) -> Callable[[Score], list[str]]:
    """Make the function that returns the columns a score belongs to."""
    if "held" in spec:  # by xstitch.results.columns
        return lambda score: [
            column
            for column, part in spec["held"].items()
            if (score.task, score.metric) == (part["task"], part["metric"]) and score.tgt in part["languages"]
        ]
    averaged = _averaged_pairs(spec, scores, source)

    def columns_of(score: Score) -> list[str]:
        column = column_of(score, spec, source)
        counts = averaged is None or (score.src, score.tgt) in averaged
        return [column] if column in spec["columns"] and counts else []

    return columns_of


def _average(columns: Sequence[Runs]) -> Runs:
    """Average columns run by run; a column's only run of a chain, perhaps without a seed, counts for each."""
    chains = sorted(set.intersection(*map(_chains, columns)))
    return {
        (chain, seed): value
        for chain in chains
        for seed, value in _average_of_chain([_of_chain(column, chain) for column in columns]).items()
    }


def _average_of_chain(columns: Sequence[Mapping[int, np.ndarray]]) -> Mapping[int, np.ndarray]:
    seeded = [column for column in columns if len(column) > 1]
    single = [value for column in columns if len(column) == 1 for value in column.values()]
    if not seeded:
        return {next(iter(columns[0])): np.mean(single, axis=0)}
    shared = sorted(set.intersection(*map(set, seeded)))
    return {seed: np.mean([*single, *(column[seed] for column in seeded)], axis=0) for seed in shared}


def _chains(column: Runs) -> set[str]:
    return {chain for chain, _ in column}


def _of_chain(column: Runs, chain: str) -> Mapping[int, np.ndarray]:
    return {seed: value for (name, seed), value in column.items() if name == chain}


def _averaged_pairs(
    spec: Mapping[str, Any], scores: Iterable[Score], source: str
) -> set[tuple[str, str]] | None:
    """Return the pairs that a column's mean is over; None if every score counts."""
    if spec["column"] not in ("direction", "crossing") or spec.get("gaps"):
        return None
    pairs = _shared_pairs(scores)
    return {pair for pair in pairs if {*pair} <= {source, *spec["over"]}} if "over" in spec else pairs


def _shared_pairs(scores: Iterable[Score]) -> set[tuple[str, str]]:
    by_recipe: dict[str, set[tuple[str, str]]] = {}
    for score in scores:
        by_recipe.setdefault(score.recipe, set()).add((score.src, score.tgt))
    return set.intersection(*by_recipe.values()) if by_recipe else set()


def table_path(paper: str, table: str) -> str:
    """Return a table's path: numbered tables as table1, numbers from a paper's text under their name."""
    return f"results/tables/{paper}/{f'table{table}' if table.isdigit() else table}.tsv"


def row_label(row: str, value: int | None) -> str:
    """Return the label of a row named by a value, with this run's value if it differs.

    None means all there are, which the paper prints as a number.
    """
    here = "all" if value is None else str(value)
    return row if here == row else f"{row} (here {here})"


def shown_columns(spec: Mapping[str, Any]) -> list[str]:
    """Return the columns of a table, including the average over all of them."""
    return [*spec["columns"], *([spec["average"]] if "average" in spec else [])]


def write_table(spec: Mapping[str, Any], grid: Grid, path: str | Path) -> None:
    """Write our numbers in the paper's shape and precision."""
    columns = shown_columns(spec)
    rows = []
    for row in spec["rows"]:
        cells = [grid.get((row["row"], column), Cell()).reproduced for column in columns]
        rows.append([_shown(row), *(_number(cell, spec["decimals"]) for cell in cells)])
    write_tsv(path, [spec["corner"], *columns], rows)


def write_comparison(
    spec: Mapping[str, Any], grid: Grid, scale: str, path: str | Path, seed: int = 0
) -> None:
    """Write every published and every reproduced cell with its status, two decimals finer than the paper.

    `seed` is that of the draws behind intervals.
    """
    columns = dict.fromkeys([*shown_columns(spec), *(column for _, column in grid)])
    rows = [
        [_shown(row), column, *_compared(spec, grid[row["row"], column], scale, seed)]
        for row, column in product(spec["rows"], columns)
        if (row["row"], column) in grid
    ]
    write_tsv(path, COMPARE_COLUMNS, rows)


def _compared(spec: Mapping[str, Any], cell: Cell, scale: str, seed: int) -> list[str | int]:
    """Return what a comparison says about a cell, from the published number on."""
    decimals = spec["decimals"] + 2
    bounds = hierarchical_interval(cell.runs, seed, cell.within) if cell.runs else None
    ends = (bounds.low, bounds.high) if bounds else (None, None)
    return [
        *(_number(number, decimals) for number in (cell.published, cell.reproduced, *ends)),
        " ".join(covered_levels(cell.runs)) if bounds else "",
        _number(cell.sd, decimals),
        cell.seeds,
        cell.chains,
        _number(cell.difference, decimals),
        scale,
        cell.status(scale, spec.get("whole", 1.0)),
    ]


def _shown(row: Mapping[str, str]) -> str:
    return row.get("shown", row["row"])


def _number(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"
