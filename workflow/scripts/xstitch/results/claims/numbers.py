"""The numbers that claims are about, by table or figure: the published ones, or those of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from xstitch.results.resampled_tables import Cells, Known, read_resamples
from xstitch.results.tables import read_reference

PLACE = re.compile(r"\{([^}]+)\}|\*")  # what a pattern of columns leaves open
SOURCE, TARGETS = "source", "targets"


@dataclass(frozen=True)
class Described:
    """What a claim must know about a table or figure."""

    decimals: int = 2
    averages: Sequence[str] = ()  # columns, or endings of columns, that average over others
    lowest: Sequence[str] = ()  # measures of which the lowest number is the best
    exact: bool = False  # counts and settings, which are what they are without being repeated


@dataclass(frozen=True)
class Languages:
    """What patterns of columns stand for."""

    source: str
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Numbers:
    """Cells of tables and figures; where one is absent as a whole, `absent` says why."""

    cells: Mapping[str, Cells]
    described: Mapping[str, Described]
    languages: Languages
    absent: Mapping[str, str] = field(default_factory=dict)

    def columns(
        self, source: str, patterns: Sequence[str], rows: Sequence[str], ending: str = ""
    ) -> list[str]:
        """Return the columns that patterns match; of those with an open place, only the ones that rows have.

        `ending` follows every pattern. Columns that are named are returned whether there are any or not.
        """
        cells = self.cells.get(source, {})
        known = list(dict.fromkeys(column for _, column in cells))
        found = []
        for pattern in patterns:
            if not PLACE.search(pattern):
                found.append(pattern + ending)
                continue
            matching = re.compile(self._expression(pattern) + re.escape(ending))
            found += [
                column
                for column in known
                if matching.fullmatch(column)
                and not self._is_average(source, column)
                and all((row, column) in cells for row in rows)
            ]
        return list(dict.fromkeys(found))

    def _expression(self, pattern: str) -> str:
        """Return the regular expression of a pattern."""
        expression, end = "", 0
        for place in PLACE.finditer(pattern):
            expression += re.escape(pattern[end : place.start()]) + self._alternatives(place[1])
            end = place.end()
        return expression + re.escape(pattern[end:])

    def _alternatives(self, name: str | None) -> str:
        source = re.escape(self.languages.source)
        if name is None:
            return ".+"
        if name == SOURCE:
            return source
        if name == TARGETS:
            return rf"(?!{source}(?![a-z]))[a-z]+"
        return f"(?:{'|'.join(map(re.escape, self.languages.groups.get(name, ()))) or '(?!)'})"

    def _is_average(self, source: str, column: str) -> bool:
        averages = self.described[source].averages
        return column in averages or column.rpartition(" ")[2] in averages

    def sign(self, source: str, column: str) -> int:
        """Return -1 where the lowest number is the best."""
        lowest = self.described[source].lowest
        return -1 if any(column == name or column.startswith(f"{name} ") for name in lowest) else 1

    def varies(self, source: str, *known: Known) -> bool:
        """Tell whether it is known how much a difference of numbers varies, be it not at all.

        It is not if chains or seeds were repeated for one of them alone.
        """
        repeated = [number.covers & {"chains", "seeds"} for number in known]
        return self.described[source].exact or (
            any(number.covers for number in known) and (all(repeated) or not any(repeated))
        )

    def known(self, source: str, row: str, column: str) -> Known | str:
        """Return a number with its resamples, or say in words that it is absent."""
        if source not in self.cells:
            why = self.absent.get(source, "")
            return f"{source} ({why})" if why else source
        return self.cells[source].get((row, column), f"{source}, {row}, {column}")

    def mean(self, source: str, row: str, columns: Sequence[str]) -> Known | str:
        """Return the mean of a row over columns, or say which number is absent."""
        parts = [self.known(source, row, column) for column in columns]
        if absent := [part for part in parts if isinstance(part, str)]:
            return absent[0]
        covers = frozenset().union(*(part.covers for part in parts))
        resamples = np.mean([part.resamples for part in parts], axis=0)
        seeds, chains = frozenset().union(*(part.seeds for part in parts)), min(part.chains for part in parts)
        ranges, freedom = {part.within for part in parts}, min(part.freedom for part in parts)
        return Known(resamples, covers, seeds, chains, ranges.pop() if len(ranges) == 1 else None, freedom)


def published_numbers(
    reference: str | Path, described: Mapping[str, Described], languages: Languages
) -> Numbers:
    """Read the published numbers of tables; figures have none."""
    cells = {}
    for source in described:
        kind, _, number = source.partition(" ")
        found = read_reference(reference, number) if kind == "Table" else {}
        if found:
            cells[source] = {key: Known(np.array([value])) for key, value in found.items()}
    absent = {source: "no numbers are published" for source in described if source not in cells}
    return Numbers(cells, described, languages, absent)


def run_tables(files: Mapping[str, str | Path]) -> dict[str, Cells]:
    """Read the cells of a run's tables, with their resamples."""
    return {source: read_resamples(file).cells for source, file in files.items()}
