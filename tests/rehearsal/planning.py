"""The jobs of a plan, read off a dry run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

SETTINGS = ["--configfile", "config/rehearsal.yaml", "--config", "scale=paper"]
# The run that is rehearsed: its jobs ask for what they need at its own size, and for a GPU's host.
REHEARSED = ["--profile", "profiles/slurm", "--config", "scale=paper", "mirror=mirror"]


@dataclass(frozen=True)
class Job:
    """A job: its rule, its files, its wildcards and what it asks for."""

    rule: str
    input: tuple[str, ...]
    output: tuple[str, ...]
    wildcards: SimpleNamespace
    resources: dict[str, str]


def dry_run(folder: Path, targets: Sequence[str], settings: Sequence[str] = SETTINGS) -> str:
    """What Snakemake would do, in a copy of the project."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--forceall", *targets, *settings]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit((result.stdout + result.stderr)[-3000:])
    return result.stdout


def planned(output: str) -> Iterator[Job]:
    """The jobs of a dry run, each once."""
    for block in re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)+)", output, re.M):
        fields = dict(re.findall(r"^    (\w+): (.*)$", block[1], re.M))
        yield Job(
            block[0],
            tuple(fields.get("input", "").split(", ")),
            tuple(fields.get("output", "").split(", ")),
            SimpleNamespace(**_pairs(fields.get("wildcards", ""))),
            _pairs(fields.get("resources", "")),
        )


def _pairs(text: str) -> dict[str, str]:
    """Read `a=1, b=2`; values may contain commas."""
    return dict(part.split("=", 1) for part in re.split(r", (?=\w+=)", text) if "=" in part)
