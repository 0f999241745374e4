"""Measure speed beside what a good engineer would use: run.py TABLE.tsv PAGE.md [NAME ...].

With names, rows of other benchmarks stay if they are of the same day and number of threads.

A module `bench_<noun>.py` has functions `bench_<what>` that return a Bench, or None where a tool is missing.
Each runs in a process of its own, which starts with the variables that numerical libraries read on loading.
`verdict` has the rule by which a machine is too noisy; the exit code is then 3. THREADS=2 in the environment
measures with two threads.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "workflow/scripts")]

from benchmark_page import page  # noqa: E402 (the folders above must be on the path first)
from records import merged, read_records, records_of, write_records  # noqa: E402
from samples import OURS, Rounds  # noqa: E402
from variables import bench_variables  # noqa: E402
from verdict import Row, rows_of  # noqa: E402

TOO_NOISY = 3  # exit code
GROWTH = "growth.md"  # beside the table


def find(names: Sequence[str]) -> list[tuple[str, str]]:
    """List the benchmarks, or those that are named, as module and function; nothing of them is loaded."""
    found = []
    for file in sorted(HERE.glob("bench_*.py")):
        lines = file.read_text(encoding="utf-8").splitlines()
        functions = [line[4:].partition("(")[0] for line in lines if line.startswith("def bench_")]
        found += [(file.stem, function) for function in functions]
    known = {function.removeprefix("bench_") for _, function in found}
    if unknown := sorted(set(names) - known):
        sys.exit(f"error: no benchmark {unknown[0]}; there are: {', '.join(sorted(known))}")
    return [each for each in found if not names or each[1].removeprefix("bench_") in names]


def measure_apart(module: str, function: str, threads: int) -> tuple[list[Row], Rounds]:
    """Measure a benchmark in a process of its own."""
    process = subprocess.run(
        [sys.executable, __file__, "--one", module, function],
        env=bench_variables(threads),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    answer: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return [Row(**row) for row in answer["rows"]], Rounds.from_dict(answer["rounds"])


def measure_here(module: str, function: str) -> None:
    """Measure a benchmark and print what was found."""
    from measuring import run_rounds  # loads torch, which only this process may

    bench = getattr(importlib.import_module(module), function)()
    rounds = run_rounds(bench) if bench else Rounds({}, [])
    rows = rows_of(function.removeprefix("bench_"), bench, rounds) if bench else []
    print(json.dumps({"rows": [asdict(row) for row in rows], "rounds": rounds.as_dict()}))


def say(rows: Sequence[Row]) -> None:
    """Print a line for a benchmark."""
    ours, *others = rows
    beside = [f"{row.ratio:.2f} times {row.version}" for row in others if row.ratio is not None]
    rate = [] if ours.rate is None else [f"{ours.rate:,.0f} {ours.unit}/s"]
    print(f"{ours.benchmark}: {ours.verdict or ', '.join([*rate, *beside])}", flush=True)


def main(table: Path, document: Path, names: Sequence[str]) -> None:
    """Run benchmarks; after each, print a line and write the table and the page."""
    threads, day = int(os.environ.get("THREADS", "1")), datetime.now(UTC).date().isoformat()
    records = read_records(table) if names else []
    order, growth = [function.removeprefix("bench_") for _, function in find([])], table.with_name(GROWTH)
    for module, function in find(names):
        found, measured = measure_apart(module, function, threads)
        if not found:
            print(f"{function.removeprefix('bench_')}: its tool is not installed", flush=True)
            continue
        say(found)
        records = merged(records, records_of(found, measured, day, threads), order)
        write_records(records, table)
        document.write_text(page(records, growth_of(growth)), encoding="utf-8")
    if any(record.row.verdict for record in records if record.row.version == OURS):
        sys.exit(TOO_NOISY)


def growth_of(path: Path) -> str:
    """Return the table that growth.py printed last, if it did."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        measure_here(*sys.argv[2:])
    else:
        main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
