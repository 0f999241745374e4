"""A copy of the project in which the workflow runs on a world smaller than mini."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = ["Snakefile", "config", "envs", "profiles", "workflow", "tests/workflow/tiny.yaml"]
TABLE = "results/tables/table2.tsv"


@dataclass(frozen=True)
class Project:
    """A folder with the project's files, and the means to run Snakemake there."""

    folder: Path

    def snakemake(self, *arguments: str, check: bool = True) -> str:
        """Run Snakemake and return all it printed."""
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        command = [sys.executable, "-m", "snakemake", *arguments]
        result = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert not check or result.returncode == 0, result.stdout[-5000:]
        return result.stdout

    def tiny(self, *arguments: str, target: str = TABLE) -> str:
        """Run a target on the tiny world."""
        return self.snakemake(target, "--configfile", "tests/workflow/tiny.yaml", *arguments)

    def planned(self, *arguments: str) -> dict[str, int]:
        """Count the jobs a dry run of the tiny world would start, by rule."""
        return planned_jobs(self.tiny("-n", *arguments))


def planned_jobs(output: str) -> dict[str, int]:
    """Read the job counts off a dry run."""
    if "Nothing to be done" in output:
        return {}
    counts = re.findall(r"^([a-z]\w*) +(\d+)$", output, flags=re.M)
    return {rule: int(count) for rule, count in counts if rule not in ("job", "total")}


def copy_project(folder: Path) -> Project:
    """Copy what a run needs, but no results."""
    for name in SHIPPED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    (folder / "slurm").symlink_to("profiles/slurm")
    return Project(folder)


@pytest.fixture(scope="session")
def clone(tmp_path_factory) -> Project:
    """The project as a newcomer has it: nothing run yet."""
    return copy_project(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """The project after a whole run on the tiny world."""
    project = copy_project(tmp_path_factory.mktemp("finished"))
    project.tiny(target="all")
    return project
