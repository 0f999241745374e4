"""Which modules are mutated, which mutants are equivalent to the original, and the report on all of them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from mutations import Mutant
from verdicts import KILLED, LONGER, SURVIVED, TIMED_OUT

HERE = Path(__file__).parent
INTRODUCTION = """\
# Mutants

`make mutants` writes this page. It changes the modules of the methods in small ways, one change at a time
(mutmut's operators: another operator, number, argument or condition), and runs the unit tests of the changed
module alone (`tests/mutants/modules.tsv`). A mutant is killed if a test fails, times out if a test takes more
than {longer} times as long as usual, and survives otherwise. Of every module, {size} mutants are drawn
(all of them, where there are fewer) by a digest with seed {seed}.

A survivor means that a test is missing, or that code can be left out, or that the mutant is equivalent: no
input that the module is made for tells it from the original. Survivors found to be equivalent are listed in
`tests/mutants/equivalent.tsv`, with the reason.

An interrupted run goes on where it was; `make mutants MODULES=spaces/relative.py` tries one module.
"""
HEADER = ("method", "module", "mutants", "tried", "killed", "timed out", "equivalent", "other survivors", "%")


@dataclass(frozen=True)
class Module:
    """A module of a method, and the files that test it."""

    method: str
    name: str
    tests: list[str]


@dataclass(frozen=True)
class Tally:
    """The verdicts on the mutants of a module that were drawn."""

    module: Module
    mutants: int
    verdicts: dict[Mutant, str]

    def count(self, verdict: str) -> int:
        return sum(found == verdict for found in self.verdicts.values())

    @property
    def survivors(self) -> list[Mutant]:
        return [mutant for mutant, verdict in self.verdicts.items() if verdict == SURVIVED]


def _rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def load_modules() -> list[Module]:
    """Read which modules are mutated and by which tests they are judged."""
    return [
        Module(row["method"], row["module"], [f"tests/unit/{test}" for test in row["tests"].split()])
        for row in _rows("modules.tsv")
    ]


def load_equivalent() -> dict[Mutant, str]:
    """Read the mutants that were found to be equivalent, with the reason."""
    return {
        Mutant(row["module"], row["place"], row["before"], row["after"], source=""): row["reason"]
        for row in _rows("equivalent.tsv")
    }


def survivor_line(mutant: Mutant) -> str:
    """Return a mutant as a line of equivalent.tsv, all but the reason."""
    return "\t".join((mutant.module, mutant.place, mutant.before, mutant.after))


def report(tallies: list[Tally], equivalent: dict[Mutant, str], seed: int, size: int) -> str:
    """Return the page on all modules."""
    parts = [INTRODUCTION.format(seed=seed, size=size, longer=LONGER), _table(tallies, equivalent)]
    survivors = [mutant for tally in tallies for mutant in tally.survivors]
    parts.append(_list("Equivalent", [mutant for mutant in survivors if mutant in equivalent], equivalent))
    parts.append(_list("Other survivors", [mutant for mutant in survivors if mutant not in equivalent], {}))
    return "\n".join(part for part in parts if part)


def _table(tallies: list[Tally], equivalent: dict[Mutant, str]) -> str:
    rows = [HEADER, ("---",) * len(HEADER), *(_row(tally, equivalent) for tally in tallies)]
    totals = [sum(int(row[column]) for row in rows[2:]) for column in range(2, 8)]
    rows.append(("all", "", *totals, _share(totals[2] + totals[3], totals[1])))
    return "".join(f"| {' | '.join(str(cell) for cell in row)} |\n" for row in rows)


def _row(tally: Tally, equivalent: dict[Mutant, str]) -> tuple[object, ...]:
    tried, killed, timed_out = len(tally.verdicts), tally.count(KILLED), tally.count(TIMED_OUT)
    same = sum(mutant in equivalent for mutant in tally.survivors)
    others = len(tally.survivors) - same
    counts = (tally.mutants, tried, killed, timed_out, same, others)
    return (tally.module.method, f"`{tally.module.name}`", *counts, _share(killed + timed_out, tried))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}"


def _list(title: str, mutants: list[Mutant], reasons: dict[Mutant, str]) -> str:
    if not mutants:
        return ""
    lines = [f"## {title}\n\n"]
    for mutant in mutants:
        where = f"`{mutant.module}` {mutant.place}".rstrip()
        lines.append(f"- {where}: `{mutant.before}` as `{mutant.after}`{_reason(reasons.get(mutant))}\n")
    return "".join(lines)


def _reason(reason: str | None) -> str:
    return f": {reason}" if reason else ""
