"""One adaptation of a model to an unlabelled language: recipes that build on others have several stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from xstitch.models.settings.transfer import AdversarialSettings, DistillationSettings, SelfTrainingSettings
from xstitch.models.transfer.adversarial import adapt_adversarially
from xstitch.models.transfer.candidates import Values, adapt_with_best
from xstitch.models.transfer.distillation import distill
from xstitch.models.transfer.self_training import self_train
from xstitch.models.transfer.task import Transfer
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.history import History
from xstitch.training.schedule import Schedule


@dataclass(frozen=True)
class Stage:
    """One adaptation: its method, settings and schedule; `student` is the folder that distillation trains.

    `candidates` has, for some keys of training or adaptation, the values to choose from.
    """

    method: str  # adversarial | distill | self-train
    adaptation: Mapping[str, Any]
    training: Mapping[str, Any]
    candidates: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    student: Path | None = None

    def combinations(self) -> list[dict[str, Any]]:
        """Return all combinations of candidates; a stage without any has one, which is empty."""
        return [
            dict(zip(self.candidates, chosen, strict=True)) for chosen in product(*self.candidates.values())
        ]

    def settled(self, values: Values) -> Stage:
        """Return the stage with one value for every key that has candidates."""
        of_training = {key: value for key, value in values.items() if key in SCHEDULED}
        others = {key: value for key, value in values.items() if key not in SCHEDULED}
        return replace(
            self,
            training={**self.training, **of_training},
            adaptation={**self.adaptation, **others},
            candidates={},
        )


SCHEDULED = {key.name for key in fields(Schedule)}


def adapt(
    stage: Stage, transfer: Transfer, seed: int, output: Path, checkpoint: Checkpoint | None = None
) -> pa.Table:
    """Adapt a model; write the folder it becomes and return what was logged, one row a step or record."""

    def attempt(values: Values, folder: Path, own: Checkpoint | None) -> pa.Table:
        return _adapt_once(stage.settled(values), transfer, seed, folder, own)

    combinations = stage.combinations()
    if len(combinations) == 1:
        return attempt(combinations[0], output, checkpoint)
    return adapt_with_best(combinations, attempt, transfer, output, checkpoint)


def _adapt_once(
    stage: Stage, transfer: Transfer, seed: int, output: Path, checkpoint: Checkpoint | None
) -> pa.Table:
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


def _records(history: History) -> pa.Table:
    """Turn a history without evaluations into a table."""
    rows = history.records
    return pa.table({"step": [row.step for row in rows], "loss": [row.loss for row in rows]})
