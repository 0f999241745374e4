"""The table results/bench.tsv: rows, and when and beside what they were measured; runs of a day add up.

A run of some benchmarks replaces their rows and keeps those of others, if they are of the same day and for as
many threads. So the table of a day can be measured in pieces, and what was too noisy again.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

from samples import OURS, Rounds
from verdict import Row

NUMBERS = {"float": float, "int": int, "str": str, "float | None": lambda text: float(text) if text else None}


@dataclass(frozen=True)
class Circumstances:
    """What rows of a benchmark have in common."""

    day: str
    threads: int
    rounds: int
    product: float  # operations per second, median
    others: float  # share of the machine that other programs used meanwhile, median


@dataclass(frozen=True)
class Record:
    """A row and its circumstances."""

    row: Row
    beside: Circumstances

    def as_dict(self) -> dict[str, Any]:
        """Return the columns of the table."""
        return {**asdict(self.row), **asdict(self.beside)}


def records_of(rows: Sequence[Row], rounds: Rounds, day: str, threads: int) -> list[Record]:
    """Note the circumstances of a benchmark's rows."""
    others = median(sample.others for sample in rounds.versions[OURS])
    beside = Circumstances(day, threads, len(rounds.products), median(rounds.products), others)
    return [Record(row, beside) for row in rows]


def merged(earlier: Sequence[Record], new: Sequence[Record], order: Sequence[str]) -> list[Record]:
    """Put new records among those of the same day and number of threads, in the order of the benchmarks."""
    names = {record.row.benchmark for record in new}
    kept = [record for record in earlier if record.row.benchmark not in names and _fits(record, new)]
    known = [record for record in (*kept, *new) if record.row.benchmark in order]
    return sorted(known, key=lambda record: order.index(record.row.benchmark))


def _fits(record: Record, new: Sequence[Record]) -> bool:
    return all(
        (record.beside.day, record.beside.threads) == (each.beside.day, each.beside.threads) for each in new
    )


def write_records(records: Sequence[Record], path: Path) -> None:
    """Write the table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = [field.name for kind in (Row, Circumstances) for field in fields(kind)]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(record.as_dict() for record in records)


def read_records(path: Path) -> list[Record]:
    """Read the table; nothing if there is none, or one of an earlier layout."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream, delimiter="\t"))
    try:
        return [Record(_built(Row, line), _built(Circumstances, line)) for line in lines]
    except KeyError:
        return []


def _built(kind: type, line: dict[str, str]) -> Any:
    return kind(**{field.name: NUMBERS[_type(field.type)](line[field.name]) for field in fields(kind)})


def _type(annotation: Any) -> str:
    """Name a field's type, whether or not its module has annotations as text."""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
