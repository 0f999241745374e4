"""The largest jobs of every rule, and how much they have to do at scale paper (cases.tsv).

`loop` is the label of the progress bar that a job spends most of its time in, and `amount` what it counts
to at scale paper; without either, a job has to do `times` what it rehearses. `factor` says how many times
larger the paper's batch is than the rehearsed one, where the whole would not fit into 24 GB. `end` says after
how many units of the loop a job ends that would take an hour here; it leaves empty files.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("cases.tsv")


@dataclass(frozen=True)
class Case:
    """A job to rehearse; see above."""

    rule: str
    target: str
    loop: str
    unit: str
    amount: float | None
    times: float
    factor: int
    end: int | None
    source: str


def load_cases(file: Path = FILE) -> list[Case]:
    """Read all cases, in order."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [_case(row) for row in rows]


def _case(row: dict[str, str]) -> Case:
    amount = float(row["amount"]) if row["amount"] else None
    numbers = {"amount": amount, "times": float(row["times"]), "factor": int(row["factor"])}
    numbers["end"] = int(row["end"]) if row["end"] else None
    return Case(**{**row, **numbers})


CASES = load_cases()
