"""Rehearse a run at scale paper: generate data and weights, run the largest jobs, write a table.

rehearse.py FOLDER TABLE PAGE [TARGET ...]; `make rehearse` calls this. What FOLDER has is not made again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from cases import CASES
from mirror import name_own_files, write_mirror
from needs import GPU_GFLOPS, read_notes, speed, table_rows, write_page, write_table
from planning import SETTINGS, dry_run, planned

from xstitch.plan import overlays
from xstitch.plan.run import Run, load_run

ROOT = Path(__file__).parents[2]
SHIPPED = ["Snakefile", "config", "envs", "profiles", "workflow"]
NOTES = "notes.jsonl"
MEMORY = 20_000  # MB that jobs side by side may ask for


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


def rehearse(folder: Path, targets: list[str], cores: int = 1) -> int:
    """Run the jobs, whatever fails; return Snakemake's exit code."""
    measuring = Path(__file__).parent / "measuring"
    notes = {
        "PYTHONPATH": str(measuring),
        "REHEARSAL_NOTES": str(folder / NOTES),
        "HF_HUB_OFFLINE": "1",
    }
    command = [sys.executable, "-m", "snakemake", *targets, "--keep-going", "--rerun-triggers", "mtime"]
    command += ["--cores", str(cores), "--resources", f"mem_mb={MEMORY}", *SETTINGS]
    return subprocess.run(command, cwd=folder, env={**os.environ, **notes}, check=False).returncode


if __name__ == "__main__":
    folder, table, page, *chosen = sys.argv[1:]
    folder, table, page = Path(folder).resolve(), Path(table).resolve(), Path(page).resolve()
    targets = chosen or list(dict.fromkeys(case.target for case in CASES))
    copy_project(folder)
    jobs = list(planned(dry_run(folder, targets)))
    write_mirror(folder, load_rehearsal(folder), jobs)
    status = rehearse(folder, targets)
    core_speed = speed()
    rows = list(table_rows(CASES, read_notes(folder / NOTES), jobs, folder, GPU_GFLOPS / core_speed))
    write_table(table, rows)
    write_page(page, rows, core_speed)
    sys.exit(status)
