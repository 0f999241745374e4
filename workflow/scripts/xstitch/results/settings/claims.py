"""Predicates over the numbers of tables and figures: what the claims of papers are made of.

A predicate picks rows and columns of one table or figure. A column is a name or a pattern: `*` stands for any
text (but not for averages), `{source}` for the source language, `{targets}` for any other language, and
`{name}` for the languages of a group that the paper's file or the configuration's `averages` lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from xstitch.core.settings import CountFrom0, NotNegative, Positive, ShareAbove0


@dataclass(frozen=True, kw_only=True)
class Predicate:
    """What every predicate has: where its numbers are."""

    table: str = ""
    """The table, by number or name; empty: a figure."""
    figure: str = ""
    """The figure, by number; empty: a table."""
    columns: list[str] = field(default_factory=lambda: ["*"])
    """The columns, as names or patterns."""

    @property
    def source(self) -> str:
        """The table or figure, in words."""
        return f"Table {self.table}" if self.table else f"Figure {self.figure}"


@dataclass(frozen=True, kw_only=True)
class ByColumn(Predicate):
    """Something that holds in every column, or in their mean."""

    mean: bool = False
    """Whether it holds of the mean over columns instead of each."""
    but: CountFrom0 = 0
    """In how many columns it need not hold."""
    share: ShareAbove0 = 1.0
    """In which share of the columns it must hold."""
    least: CountFrom0 = 0
    """In how many columns it must hold, if not in a share of them; 0: a share."""


@dataclass(frozen=True, kw_only=True)
class OfRows(ByColumn):
    """Some rows compared with others."""

    rows: list[str]
    over: list[str]
    """The rows that they are compared with, each of them."""
    over_table: str = ""
    """The table of these rows; empty: the same."""
    enough: CountFrom0 = 0
    """How many of `rows` it must hold of; 0: all."""


@dataclass(frozen=True, kw_only=True)
class Beats(OfRows):
    """Some rows are better than others."""

    by: NotNegative = 0.0
    """Least difference, in the units of the table."""
    times: Positive = 1.0
    """Least ratio."""


@dataclass(frozen=True, kw_only=True)
class Reaches(OfRows):
    """Some rows are not worse than others by more than a little."""

    within: NotNegative
    """How much worse they may be, in the units of the table; 0: they are not beaten."""


@dataclass(frozen=True, kw_only=True)
class Near(OfRows):
    """Some rows are neither better nor worse than others by more than a little."""

    within: NotNegative


@dataclass(frozen=True, kw_only=True)
class Order(ByColumn):
    """Rows in an order, the best first; each beats the next."""

    rows: list[str]


@dataclass(frozen=True, kw_only=True)
class Extreme(ByColumn):
    """One row is better than all others, or worse."""

    row: str
    of: list[str]
    """The other rows."""
    end: Literal["best", "worst"]


@dataclass(frozen=True, kw_only=True)
class Beyond(ByColumn):
    """Some rows are above a number, or below it."""

    rows: list[str]
    side: Literal["above", "below"]
    value: float


@dataclass(frozen=True, kw_only=True)
class MostIn(Predicate):
    """What some row gains over another is most in one column; `columns` are the others."""

    row: str
    over: str
    column: str


@dataclass(frozen=True, kw_only=True)
class Correlates(Predicate):
    """The scores behind a figure correlate with a shift; `columns` are its panels."""

    row: str
    shift: Literal["feature", "prior"]
    fixed: bool = False
    """Whether the other shift is held fixed."""
    sign: Literal["positive", "negative"]


KINDS: dict[str, type[Predicate]] = {
    "beats": Beats,
    "reaches": Reaches,
    "near": Near,
    "order": Order,
    "extreme": Extreme,
    "beyond": Beyond,
    "most-in": MostIn,
    "correlates": Correlates,
}
