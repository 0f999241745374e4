"""A copy of the project, and the means to run Snakemake there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml
from warm_python import start_server

from xstitch.core.portable import pin_kernels

ROOT = Path(__file__).parents[2]
SHIPPED = ["Snakefile", "config", "envs", "profiles", "workflow", "tests/workflow/tiny.yaml"]
SMALLEST = ["tests/workflow/tiny.yaml", "tests/workflow/smallest.yaml"]
TABLE = "results/tables/table2.tsv"
NONE: Mapping[str, str] = {}
OFFLINE = {"HF_HUB_OFFLINE": "1"}
ENVIRONMENT = {**os.environ, **OFFLINE}


@cache
def python() -> str:
    """A Python that starts fast; jobs whose kernels are not pinned start as always."""
    pinned: dict[str, str] = {}
    pin_kernels(pinned)
    return start_server(pinned)


@dataclass(frozen=True)
class Project:
    """A folder with the project's files, and the means to run Snakemake there, in turn if others do."""

    folder: Path
    turn: AbstractContextManager = field(default_factory=nullcontext)

    def snakemake(self, *arguments: str, check: bool = True, variables: Mapping[str, str] = NONE) -> str:
        """Run Snakemake, with further environment variables, and return all it printed."""
        with self.turn:
            result = subprocess.run(
                [python(), "-m", "snakemake", *arguments],
                cwd=self.folder,
                env={**os.environ, **OFFLINE, **variables},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        assert not check or result.returncode == 0, result.stdout[-5000:]
        return result.stdout

    def tiny(self, *arguments: str, target: str = TABLE, variables: Mapping[str, str] = NONE) -> str:
        """Run a target on the tiny world."""
        tiny = ["--configfile", "tests/workflow/tiny.yaml"]
        return self.snakemake(target, *tiny, *arguments, variables=variables)

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


def shrink_project(project: Project) -> None:
    """Make the smallest world the copy's default configuration, so that commands need name no overlay."""
    file = project.folder / "config/config.yaml"
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    for overlay in SMALLEST:
        _overlay(config, yaml.safe_load((ROOT / overlay).read_text(encoding="utf-8")))
    file.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def _overlay(config: dict, changes: dict) -> None:
    """Change nested mappings as Snakemake does: key by key, lists as wholes."""
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(config.get(key), dict):
            _overlay(config[key], value)
        else:
            config[key] = value


@contextmanager
def edited(path: Path, old: str, new: str) -> Iterator[None]:
    """Replace some text of a file for a while."""
    content = path.read_text(encoding="utf-8")
    assert old in content
    path.write_text(content.replace(old, new, 1), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(content, encoding="utf-8")
