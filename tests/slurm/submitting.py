"""Run the cluster command in a copy of the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TextIO

from cluster import Cluster
from project_copy import ENVIRONMENT, Project

PROFILE = "profiles/slurm/config.v9+.yaml"


def adapt_profile(project: Project) -> None:
    """Check for finished jobs more often than on a real cluster, whose controller serves other users, too."""
    profile = project.folder / PROFILE
    text = profile.read_text(encoding="utf-8")
    assert "status-checks: 10 " in text
    profile.write_text(text.replace("status-checks: 10 ", "status-checks: 3 "), encoding="utf-8")


def start_submitting(
    cluster: Cluster, folder: Path, output: TextIO, *arguments: str, **variables: str
) -> subprocess.Popen:
    """Start the cluster command with additional arguments and environment variables."""
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--profile", "slurm", *arguments],
        cwd=folder,
        env=ENVIRONMENT | cluster.environment | variables,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
    )
