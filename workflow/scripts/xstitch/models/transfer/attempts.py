"""Adaptations of which a job makes several: those that are finished survive a killed job, as does the last.

Each has a folder with its model, what was logged, and a checkpoint while it is at work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from xstitch.core.parquet import read_table, write_table
from xstitch.training.checkpoints import Checkpoint

Attempt = Callable[[Path, Checkpoint | None], pa.Table]  # writes a model; returns what was logged
MODEL, STEPS = "model", "steps.parquet"


def workplace(checkpoint: Checkpoint) -> Path:
    """Return the folder for the attempts of this very run, within that of its checkpoint."""
    run = hashlib.sha256(checkpoint.fingerprint.encode()).hexdigest()[:16]
    return checkpoint.folder / "attempts" / run


def finish(attempt: Attempt, folder: Path, checkpoint: Checkpoint | None) -> pa.Table:
    """Adapt unless that is done and return what was logged; the log is written last and says so."""
    if not (folder / STEPS).is_file():
        own = replace(checkpoint, folder=folder / "checkpoint") if checkpoint else None
        write_table(attempt(folder / MODEL, own), folder / STEPS)
    return read_table(folder / STEPS)
