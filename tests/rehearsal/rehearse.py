"""Rehearse a run at scale paper: generate data and weights, run the largest jobs, write a table.

`make rehearse` calls this. What FOLDER has is not made again. Of cases that are not run now, the table has
what was measured earlier (measured.tsv); what rules ask for, and the verdicts, are today's for all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from cases import CASES
from measurements import newly_measured, read_measured, read_notes, write_measured
from mirror import name_own_files, write_mirror
from needs import table_rows
from page import write_page, write_table
from planning import REHEARSED, SETTINGS, dry_run, planned

from xstitch.plan import overlays
from xstitch.plan.run import Run, load_run

ROOT = Path(__file__).parents[2]
SHIPPED = ["Snakefile", "config", "envs", "profiles", "workflow"]
NOTES = "notes.jsonl"
CORES, MEMORY = 2, 20_000  # MB that jobs side by side may ask for
# After how many units loops end that no setting shortens; X2Static's batches are those of one shard.
STOPS = {"X2Static": 32, "aggregation": 1}


def copy_project(folder: Path) -> None:
    """Copy what a run needs, so that the results of real runs are not touched."""
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.rmtree(folder / name, ignore_errors=True)
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    name_own_files(folder)


def load_rehearsal(folder: Path) -> Run:
    """The rehearsal's run, as its planner sees it."""
    layers = folder / "config/config.yaml", [folder / "config/rehearsal.yaml"], {"scale": "paper"}
    return load_run(overlays.lay(*layers, folder / "config"), folder)


def rehearse(folder: Path, targets: Sequence[str], cores: int = CORES, memory: int = MEMORY) -> int:
    """Run the jobs, whatever fails; return Snakemake's exit code."""
    measuring = Path(__file__).parent / "measuring"
    notes = {
        "PYTHONPATH": str(measuring),
        "REHEARSAL_NOTES": str(folder / NOTES),
        "REHEARSAL_STOPS": json.dumps(STOPS),
        "REHEARSAL_ENDS": json.dumps({case.target: [case.loop, case.end] for case in CASES if case.end}),
        "HF_HUB_OFFLINE": "1",
        "XSTITCH_WARM_START": "0",  # a fork shares its parent's memory and is not measured
    }
    command = [sys.executable, "-m", "snakemake", *targets, "--keep-going", "--rerun-triggers", "mtime"]
    command += ["--cores", str(cores), "--resources", f"mem_mb={memory}", *SETTINGS]
    # Loops are measured by their progress bars.
    environment = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
    return subprocess.run(command, cwd=folder, env={**environment, **notes}, check=False).returncode


def write_results(folder: Path, table: Path, page: Path) -> None:
    """Add what jobs noted to what was measured earlier; write table and page with what rules ask for now."""
    found = read_measured() | newly_measured(CASES, read_notes(folder / NOTES), folder)
    write_measured(CASES, found)
    jobs = planned(dry_run(folder, [case.target for case in CASES], REHEARSED))
    rows = list(table_rows(CASES, found, jobs))
    write_table(table, rows)
    write_page(page, rows, found.values())


def main(options: argparse.Namespace) -> int:
    """Rehearse the chosen targets, or all; return Snakemake's exit code."""
    folder, status = options.folder.resolve(), 0
    copy_project(folder)
    if not options.only_table:
        targets = options.targets or list(dict.fromkeys(case.target for case in CASES))
        write_mirror(folder, load_rehearsal(folder), planned(dry_run(folder, targets)))
        status = rehearse(folder, targets, options.cores, options.memory)
    write_results(folder, options.table, options.page)
    return status


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the project is copied to and run")
    parser.add_argument("table", type=Path, help="the table as TSV")
    parser.add_argument("page", type=Path, help="the table as a page")
    parser.add_argument("targets", nargs="*", help="the cases to run; without any, all of them")
    parser.add_argument("--only-table", action="store_true", help="run nothing, write table and page")
    parser.add_argument("--cores", type=int, default=CORES)
    parser.add_argument("--memory", type=int, default=MEMORY, help="MB that jobs side by side may ask for")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main(parse_options()))
