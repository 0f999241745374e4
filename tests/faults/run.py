"""Disturb the workflow, let it finish, compare with an undisturbed run: run.py OUTPUT [FAULT...].

Faults that need root or SLURM are skipped with a line if these are missing.
"""

import csv
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent
sys.path[:0] = [
    str(HERE),
    str(TESTS / "workflow"),
    str(TESTS / "slurm"),
    str(TESTS.parent / "workflow/scripts"),
]

import cluster  # noqa: E402 (the folders above must be on the path first)
import cluster_faults  # noqa: E402
import faults  # noqa: E402
import trials  # noqa: E402

COLUMNS = ("fault", "tried", "lost_seconds", "outcome")
LOCAL = [
    faults.kill_main,
    faults.kill_jobs,
    faults.kill_other_jobs,
    faults.leave_halves,
    faults.start_twice,
]
MOUNTING = [faults.fill_disk, faults.forbid_writing]
CLUSTER = [cluster_faults.cancel_job, cluster_faults.lose_node, cluster_faults.kill_submitter]


def possible(wanted: list[str]) -> list[Callable]:
    """Return the wanted faults that can be tried here (all of them if none is named)."""
    available = list(LOCAL)
    if os.geteuid() == 0:
        available += MOUNTING
    else:
        print("full disk, read-only results: skipped, since mounting needs root")
    if reason := cluster.missing():
        print(f"cluster faults: skipped: {reason}")
    else:
        available += CLUSTER
    return [fault for fault in available if not wanted or fault.__name__ in wanted]


def main(output: Path, wanted: list[str]) -> int:
    """Try every fault and write the table; return the number of faults that were not withstood."""
    rows = []
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    reference = faults.undisturbed(trials.new_trial(folder / "undisturbed"))
    for fault in possible(wanted):
        row = fault(folder / fault.__name__, reference)
        print(*(f"{getattr(row, column)}" for column in COLUMNS), sep="\t", flush=True)
        rows.append(row)
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((row.fault, row.tried, round(row.lost_seconds), row.outcome) for row in rows)
    failed = [row.fault for row in rows if not row.withstood]
    if failed:
        print(f"not withstood: {', '.join(failed)}; the runs are in {folder}")
    else:
        shutil.rmtree(folder)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
