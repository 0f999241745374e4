"""Predicates as trees of differences that must be above 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from xstitch.results.claims.logic import Branch, Leaf, Tree, every
from xstitch.results.claims.numbers import Numbers
from xstitch.results.resampled_tables import Known
from xstitch.results.settings.claims import (
    Beats,
    Beyond,
    ByColumn,
    Correlates,
    Extreme,
    MostIn,
    OfRows,
    Order,
    Predicate,
    Reaches,
)

Columns = tuple[str, ...]  # one, or those that a mean is over
LISTED = 3  # columns of a mean that its name lists


def tree_of(predicate: Predicate, numbers: Numbers) -> Tree:
    """Return what a predicate says about numbers."""
    if isinstance(predicate, MostIn):
        return _most_in(predicate, numbers)
    if isinstance(predicate, Correlates):
        return _correlates(predicate, numbers)
    return _by_column(predicate, numbers)


def _by_column(predicate: ByColumn, numbers: Numbers) -> Tree:
    """Return a predicate over each of its columns, or over their mean."""
    columns = numbers.columns(predicate.source, predicate.columns, _rows_of(predicate))
    if isinstance(predicate, OfRows) and predicate.over_table:
        known = numbers.cells.get(_over_table(predicate), {})
        columns = [column for column in columns if (predicate.over[0], column) in known]
    if not columns:
        return _nowhere(predicate, numbers)
    in_columns = partial(_in_columns, predicate, numbers)
    if predicate.mean:
        return in_columns(tuple(columns))
    parts = [in_columns((column,)) for column in columns]
    return Branch(_needed(predicate, len(parts)), parts)


def _over_table(predicate: OfRows) -> str:
    """Return the table of the rows that others are compared with."""
    return f"Table {predicate.over_table}" if predicate.over_table else predicate.source


def _rows_of(predicate: ByColumn) -> list[str]:
    """Return the rows that a predicate needs in its own table."""
    if isinstance(predicate, OfRows):
        return [*predicate.rows, *(() if predicate.over_table else predicate.over)]
    return [predicate.row, *predicate.of] if isinstance(predicate, Extreme) else [*predicate.rows]


def _nowhere(predicate: Predicate, numbers: Numbers) -> Leaf:
    """Return what stands for a predicate whose table or columns are absent."""
    columns = ", ".join(predicate.columns)
    tables = [predicate.source, *([_over_table(predicate)] if isinstance(predicate, OfRows) else [])]
    if missing := [table for table in tables if table not in numbers.cells]:
        return Leaf(predicate.source, "", columns, absent=numbers.known(missing[0], "", ""))
    absent = f"{predicate.source}: no column {columns} that has all rows"
    return Leaf(predicate.source, "", columns, absent=absent)


def _needed(predicate: ByColumn, columns: int) -> int:
    """Return in how many columns a predicate must hold: never in none."""
    if predicate.least:
        return min(predicate.least, columns)
    share = math.ceil(round(predicate.share * columns, 6))
    return max(1, share - predicate.but)


def _in_columns(predicate: ByColumn, numbers: Numbers, columns: Columns) -> Tree:
    """Return a predicate over one column, or over the mean of several."""
    table = predicate.source
    if isinstance(predicate, OfRows):
        return _of_rows(predicate, numbers, columns)
    if isinstance(predicate, Order):
        return every(
            [_compared(numbers, (table, a), (table, b), columns) for a, b in pairwise(predicate.rows)]
        )
    if isinstance(predicate, Extreme):
        pairs = [(predicate.row, other) for other in predicate.of]
        ordered = pairs if predicate.end == "best" else [(b, a) for a, b in pairs]
        return every([_compared(numbers, (table, a), (table, b), columns) for a, b in ordered])
    return every([_beyond(predicate, numbers, row, columns) for row in predicate.rows])


def _of_rows(predicate: OfRows, numbers: Numbers, columns: Columns) -> Tree:
    """Return that enough rows compare as they should with all others."""
    parts = []
    for row in predicate.rows:
        compared = partial(_compared, numbers, (predicate.source, row), columns=columns)
        others = [(_over_table(predicate), other) for other in predicate.over]
        parts.append(every([_related(predicate, compared, other) for other in others]))
    return Branch(predicate.enough, parts) if predicate.enough else every(parts)


def _related(predicate: OfRows, compared: Callable[..., Leaf], other: tuple[str, str]) -> Tree:
    if isinstance(predicate, Beats):
        return compared(
            other, slack=-predicate.by, times=predicate.times, ties=predicate.by > 0 or predicate.times > 1
        )
    within = predicate.within
    if isinstance(predicate, Reaches):
        return compared(other, slack=within, ties=True)
    return every(
        [compared(other, slack=within, ties=True), compared(other, slack=within, ties=True, back=True)]
    )


def _compared(
    numbers: Numbers,
    first: tuple[str, str],
    second: tuple[str, str],
    columns: Columns,
    *,
    slack: float = 0.0,
    times: float = 1.0,
    ties: bool = False,
    back: bool = False,
) -> Leaf:
    """Return how much better one row (table and row) is than another (`back`: the other than the one)."""
    one, other = (numbers.mean(table, row, columns) for table, row in (first, second))
    named = f"{first[1]} - {second[1]}", _named(columns)
    if first[0] != second[0]:
        named = f"{first[1]} - {second[1]} of {second[0]}", _named(columns)
    if absent := [number for number in (one, other) if isinstance(number, str)]:
        return Leaf(first[0], *named, absent=absent[0])
    sign = numbers.sign(first[0], columns[0]) * (-1 if back else 1)
    difference = sign * (one.resamples - times * other.resamples) + slack
    plain = one.resamples - other.resamples
    varies = numbers.varies(first[0], one, other)
    chains, seeds = min(one.chains, other.chains), one.seeds | other.seeds
    within = one.within.of_differences() if one.within and one.within == other.within else None
    counts = {"chains": chains, "seeds": seeds, "freedom": min(one.freedom, other.freedom)}
    return Leaf(first[0], *named, difference, plain, ties, varies, within=within, **counts)


def _beyond(predicate: Beyond, numbers: Numbers, row: str, columns: Columns) -> Leaf:
    """Return how far a row is above a number, or below it."""
    number = numbers.mean(predicate.source, row, columns)
    sign = 1 if predicate.side == "above" else -1
    return _signed(numbers, (predicate.source, row, _named(columns)), number, sign, predicate.value)


def _signed(
    numbers: Numbers, place: tuple[str, str, str], number: Known | str, sign: int, value: float = 0.0
) -> Leaf:
    """Return how far a number (of a table, row and column) is on one side of a value."""
    if isinstance(number, str):
        return Leaf(*place, absent=number)
    difference = sign * (number.resamples - value)
    counts = {"chains": number.chains, "seeds": number.seeds, "freedom": number.freedom}
    varies = numbers.varies(place[0], number)
    return Leaf(*place, difference, number.resamples, spread=varies, within=number.within, **counts)


def _most_in(predicate: MostIn, numbers: Numbers) -> Tree:
    """Return that a row gains more over another in one column than in each other one."""
    table, rows = predicate.source, [predicate.row, predicate.over]
    others = [name for name in numbers.columns(table, predicate.columns, rows) if name != predicate.column]
    if not others:
        return _nowhere(predicate, numbers)
    return every([_gained_more(predicate, numbers, other) for other in others])


def _gained_more(predicate: MostIn, numbers: Numbers, other: str) -> Leaf:
    table = predicate.source
    gains = [
        _compared(numbers, (table, predicate.row), (table, predicate.over), (column,))
        for column in (predicate.column, other)
    ]
    place = table, f"{predicate.row} - {predicate.over}", f"{predicate.column} - {other}"
    if absent := [gain.absent for gain in gains if gain.absent]:
        return Leaf(*place, absent=absent[0])
    difference = gains[0].difference - gains[1].difference
    chains, seeds = min(gain.chains for gain in gains), gains[0].seeds | gains[1].seeds
    varies, freedom = all(gain.spread for gain in gains), min(gain.freedom for gain in gains)
    return Leaf(*place, difference, difference, spread=varies, chains=chains, seeds=seeds, freedom=freedom)


def correlation_column(shift: str, fixed: bool) -> str:
    """Return how the column of a figure's correlations ends."""
    other = "prior" if shift == "feature" else "feature"
    return f" r {shift} shift{f', {other} shift fixed' if fixed else ''}"


def _correlates(predicate: Correlates, numbers: Numbers) -> Tree:
    """Return that scores correlate with a shift in all panels of a figure."""
    ending = correlation_column(predicate.shift, predicate.fixed)
    columns = numbers.columns(predicate.source, predicate.columns, [predicate.row], ending)
    if not columns:
        return _nowhere(predicate, numbers)
    sign = 1 if predicate.sign == "positive" else -1
    known = {column: numbers.known(predicate.source, predicate.row, column) for column in columns}
    return every(
        [
            _signed(numbers, (predicate.source, predicate.row, column), number, sign)
            for column, number in known.items()
        ]
    )


def _named(columns: Sequence[str]) -> str:
    """Name a column, or the mean of several."""
    if len(columns) == 1:
        return columns[0]
    listed = ", ".join(columns) if len(columns) <= LISTED else f"{columns[0]} to {columns[-1]}"
    return f"mean of {listed}"
