"""Rehearse a run at scale paper: generate data and weights, run the largest jobs, write a table.

rehearse.py FOLDER TABLE PAGE [TARGET ...]; `make rehearse` calls this. What FOLDER has is not made again.
With --only-table, nothing is run: the table has what was measured and what rules ask for now.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from cases import CASES
from mirror import name_own_files, write_mirror
from needs import GPU_GFLOPS, read_notes, speed, table_rows, write_page, write_table
from planning import REHEARSED, SETTINGS, dry_run, planned

from xstitch.plan import overlays
from xstitch.plan.run import Run, load_run

ROOT = Path(__file__).parents[2]
SHIPPED = ["Snakefile", "config", "envs", "profiles", "workflow"]
NOTES = "notes.jsonl"
ONLY_TABLE = "--only-table"
MEMORY = 20_000  # MB that jobs side by side may ask for
# MB of jobs that have more on a CPU, where what a GPU would hold is in the same memory, than they ask for.
ON_CPU = {
    "continue_encoder": 15_000,
    "finetune_model": 11_000,
    "align_encoder": 8000,
    "adapt_model": 7000,
    "train_adapter": 9000,
}
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


def rehearse(folder: Path, targets: list[str], cores: int = 2) -> int:
    """Run the jobs, whatever fails; return Snakemake's exit code."""
    measuring = Path(__file__).parent / "measuring"
    notes = {
        "PYTHONPATH": str(measuring),
        "REHEARSAL_NOTES": str(folder / NOTES),
        "REHEARSAL_STOPS": json.dumps(STOPS),
        "HF_HUB_OFFLINE": "1",
        "XSTITCH_WARM_START": "0",  # a fork shares its parent's memory and is not measured
    }
    command = [sys.executable, "-m", "snakemake", *targets, "--keep-going", "--rerun-triggers", "mtime"]
    command += ["--cores", str(cores), "--resources", f"mem_mb={MEMORY}"]
    command += ["--set-resources", *(f"{rule}:mem_mb={size}" for rule, size in ON_CPU.items()), *SETTINGS]
    return subprocess.run(command, cwd=folder, env={**os.environ, **notes}, check=False).returncode


def write_results(folder: Path, table: Path, page: Path) -> None:
    """Write table and page from what jobs noted and what they ask for at scale paper."""
    jobs = list(planned(dry_run(folder, [case.target for case in CASES], REHEARSED)))
    core_speed = speed()
    rows = list(table_rows(CASES, read_notes(folder / NOTES), jobs, folder, GPU_GFLOPS / core_speed))
    write_table(table, rows)
    write_page(page, rows, core_speed)


def main(folder: Path, table: Path, page: Path, chosen: list[str]) -> int:
    """Rehearse the chosen targets, or all; return Snakemake's exit code."""
    copy_project(folder)
    status = 0
    if chosen != [ONLY_TABLE]:
        targets = chosen or list(dict.fromkeys(case.target for case in CASES))
        write_mirror(folder, load_rehearsal(folder), planned(dry_run(folder, targets)))
        status = rehearse(folder, targets)
    write_results(folder, table, page)
    return status


if __name__ == "__main__":
    paths = [Path(name).resolve() for name in sys.argv[1:4]]
    sys.exit(main(*paths, sys.argv[4:]))
