"""Adapt a model to an unlabelled language, in several stages if a recipe builds on the model of another."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from xstitch.models.settings.transfer import AdversarialSettings, DistillationSettings, SelfTrainingSettings
from xstitch.models.transfer.adversarial import adapt_adversarially
from xstitch.models.transfer.distillation import distill
from xstitch.models.transfer.self_training import self_train
from xstitch.models.transfer.task import Transfer
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.history import History
from xstitch.training.schedule import Schedule


@dataclass(frozen=True)
class Stage:
    """One adaptation: its method, settings and schedule; `student` is the folder that distillation trains."""

    method: str  # adversarial | distill | self-train
    adaptation: Mapping[str, Any]
    training: Mapping[str, Any]
    student: Path | None = None


def adapt(
    stage: Stage, transfer: Transfer, seed: int, output: Path, checkpoint: Checkpoint | None = None
) -> pa.Table:
    """Adapt a model; write the folder it becomes and return what was logged, one row a step or record."""
    schedule = Schedule(**stage.training, seed=seed)
    if stage.method == "adversarial":
        return adapt_adversarially(
            transfer, AdversarialSettings(**stage.adaptation), schedule, output, checkpoint
        )
    if stage.method == "distill":
        settings = DistillationSettings(**stage.adaptation)
        return _records(distill(transfer, stage.student, settings, schedule, output, checkpoint))
    settings = SelfTrainingSettings(**stage.adaptation)
    return _records(self_train(transfer, settings, schedule, output, checkpoint))


def adapt_in_stages(
    stages: Sequence[Stage], transfer: Transfer, seed: int, output: Path
) -> dict[str, pa.Table]:
    """Run stages in turn, each on the model of the previous one; return their logs by method."""
    logs = {}
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        for number, stage in enumerate(stages, start=1):
            adapted = output if number == len(stages) else Path(folder) / str(number)
            logs[stage.method] = adapt(stage, transfer, seed, adapted)
            transfer = replace(transfer, model=adapted)
    return logs


def _records(history: History) -> pa.Table:
    """Turn a history without evaluations into a table."""
    rows = history.records
    return pa.table({"step": [row.step for row in rows], "loss": [row.loss for row in rows]})
