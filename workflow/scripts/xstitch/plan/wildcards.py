"""Legal values of wildcards, as regular expressions: names of entries, and tables and figures by kind.

The key `kind` of a table or figure in its paper's file determines which rule makes it; a table without one
shows scores.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from xstitch.plan.papers import comparison_names
from xstitch.plan.run import Run
from xstitch.results.tables import table_path

LISTS = ("languages", "parallel", "matches")  # kinds of tables that show no scores
SHIFTS = ("decreases", "corrections")  # kinds of tables that sum up measurements of shifts
SPACES = "spaces"  # the kind of figures that draw two spaces


def names(run: Run, section: str, **wanted: Collection[str]) -> str:
    """Alternatives for a wildcard: the names of a section whose keys have the wanted values."""
    fitting = [
        name
        for name, entry in run.section(section).items()
        if all(entry.get(key) in values for key, values in wanted.items())
    ]
    return "|".join(fitting) or "none"


def list_pattern(run: Run, kind: str) -> str:
    """The legal values of a wildcard {table} that follows its paper's folder, for lists of one kind."""
    return _tables_pattern(run, [kind])


def shifts_pattern(run: Run) -> str:
    """The legal values of a wildcard {table} that follows its paper's folder, for tables of shifts."""
    return _tables_pattern(run, SHIFTS)


def scores_pattern(run: Run) -> str:
    """The legal values of a wildcard {table} for tables of scores: all that have no rule of their own."""
    others = "|".join(["table", *(rf"{name}\." for name in comparison_names(run))])
    return rf"(?!(?:{_tables_pattern(run, [*LISTS, *SHIFTS])})\.)(?:table\d+|(?!{others})[a-z]+)"


def spaces_pattern(run: Run) -> str:
    """The legal values of a wildcard {number} for figures of two spaces."""
    return _pattern("figure", _numbers_of_kinds(run, "figures", [SPACES]))


def measurements_pattern(run: Run) -> str:
    """The legal values of a wildcard {number} for figures of measurements: all except those of spaces."""
    return rf"(?!(?:{spaces_pattern(run)})\.)\d+"


def _tables_pattern(run: Run, kinds: Iterable[str]) -> str:
    numbers = _numbers_of_kinds(run, "tables", kinds)
    return _pattern("", ((paper, Path(table_path(paper, number)).stem) for paper, number in numbers))


def _pattern(before: str, named: Iterable[tuple[str, str]]) -> str:
    """Names, each preceded by its paper's folder and `before`; without names, a pattern no file has."""
    return "|".join(f"(?<={re.escape(paper)}/{before}){re.escape(name)}" for paper, name in named) or "none"


def _numbers_of_kinds(run: Run, part: str, kinds: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Paper and number of all tables or figures (`part`) of the given kinds."""
    for paper, content in run.papers.items():
        for number, spec in content.get(part, {}).items():
            if spec.get("kind") in kinds:
                yield paper, number
