"""What rehearsed jobs needed, by case: noted by the jobs themselves, kept from run to run (measured.tsv)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from cases import Case

from xstitch.plan.costs.core_speed import core_gflops

FILE = Path(__file__).with_name("measured.tsv")
UPDATE = "update"  # the unit of cases that are timed without the evaluations between updates


@dataclass(frozen=True)
class Measured:
    """What a job needed: in all, and in its main loop, if it has one; seconds are those of a core."""

    seconds: float
    peak_mb: float
    loop_seconds: float = 0.0
    loop_count: float = 0.0
    unit_seconds: float = 0.0
    before_mb: float | None = None  # peak before the loop began
    loop_mb: float = 0.0  # peak at its end
    weights_mb: float = 0.0
    trained_mb: float = 0.0  # of the weights
    core_gflops: float = 0.0  # of the core that was measured, in large products
    date: str = ""
    remark: str = ""

    @property
    def other_seconds(self) -> float:
        """The time outside of the loop: loading, reading, writing."""
        return max(0.0, self.seconds - self.loop_seconds)


TEXTS = ("date", "remark")
COLUMNS = ("rule", "case", *(field.name for field in fields(Measured)))


def measured(record: Mapping[str, Any], case: Case, speed: float) -> Measured:
    """Read a job's note; of several loops with the case's label the times add up.

    The time of the processor, divided by the threads, is not stretched by other processes.
    """
    circumstances = {"core_gflops": speed, "date": record["date"]}
    threads = record["threads"]
    seconds, peak = record["cpu_seconds"] / threads, record["peak_mb"]
    loops = [loop for loop in record["loops"] if case.loop and loop["label"] == case.loop]
    if not loops:
        return Measured(seconds, peak, **circumstances)
    total, count = sum(loop["cpu_seconds"] for loop in loops), sum(loop["count"] for loop in loops)
    fastest = [loop["fastest_cpu"] for loop in loops if loop["fastest_cpu"]]
    unit = min(fastest) if case.unit == UPDATE and fastest else total / max(1, count)
    return Measured(
        seconds,
        peak,
        total / threads,
        count,
        unit / threads,
        loops[0]["before_mb"],
        max(loop["peak_mb"] for loop in loops),
        loops[0]["weights_mb"],
        loops[0]["trained_mb"],
        **circumstances,
    )


def read_notes(file: Path) -> list[dict[str, Any]]:
    """What jobs noted about themselves; of a job that was run twice, the last note counts."""
    return (
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    )


def newly_measured(
    cases: Iterable[Case], notes: Sequence[Mapping[str, Any]], folder: Path
) -> dict[str, Measured]:
    """By target, what the jobs of a run needed that ended well."""
    by_output = {file: record for record in notes for file in record["output"]}
    done = [case for case in cases if case.target in by_output and (folder / case.target).exists()]
    speed = round(core_gflops()) if done else 0
    return {case.target: measured(by_output[case.target], case, speed) for case in done}


def read_measured(file: Path = FILE) -> dict[str, Measured]:
    """By target, what was measured so far."""
    if not file.exists():
        return {}
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return {row["case"]: Measured(**{name: _value(name, row[name]) for name in COLUMNS[2:]}) for row in rows}


def write_measured(cases: Iterable[Case], found: Mapping[str, Measured], file: Path = FILE) -> None:
    """Write what was measured, in the order of the cases; of a case that is no more, nothing is kept."""
    lines = ["\t".join(COLUMNS)]
    for case in cases:
        if case.target in found:
            values = (_shown(getattr(found[case.target], name)) for name in COLUMNS[2:])
            lines.append("\t".join([case.rule, case.target, *values]))
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _value(name: str, text: str) -> Any:
    if name in TEXTS:
        return text
    return float(text) if text else None


def _shown(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.4g}" if value < 1000 else f"{value:.0f}"
