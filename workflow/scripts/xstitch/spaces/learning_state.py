"""Where self-learning stands, in memory and in its checkpoint, from which a killed job goes on."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, dataclass, field, replace

import numpy as np
import torch

from xstitch.training.checkpoints import Checkpoint, load_checkpoint, save_checkpoint

LOG = logging.getLogger("xstitch")


@dataclass(frozen=True)
class Iteration:
    """One round: the share of scores kept, the number of pairs behind the map, its results in percent."""

    iteration: int
    keep: float
    pairs: int
    objective: float
    accuracy: float | None


@dataclass(frozen=True)
class Learned:
    """A dictionary (both directions: a mutual pair occurs twice), its CSLS scores and its history."""

    rows: np.ndarray
    scores: np.ndarray
    history: list[Iteration]

    @property
    def objective(self) -> float:
        """The best objective of all iterations, in percent."""
        return max(step.objective for step in self.history)


@dataclass
class Run:
    """One run of the loop between two iterations: what the next one starts from, and the best map so far."""

    seed: int
    rows: np.ndarray
    keep: float
    generator: torch.Generator
    idle: int = 0  # iterations without a gain
    best_before: float = -np.inf  # the objective that a gain is measured from
    best: float = -np.inf
    best_map: torch.Tensor | None = None
    # What was nearest in the last iteration, for both sides. It decides how the next one is computed, and so
    # the last bits of its scores.
    near: tuple[torch.Tensor, torch.Tensor] | None = None
    history: list[Iteration] = field(default_factory=list)


SCALARS = ("seed", "keep", "idle", "best_before", "best")
SIDES = ("source", "target")


class Keeper:
    """Keeps the run under way and the best of the finished ones; without a checkpoint, only in memory."""

    def __init__(self, checkpoint: Checkpoint | None, settings: object) -> None:
        # The parts of one job may learn with different settings.
        self.checkpoint = checkpoint and replace(
            checkpoint, fingerprint=f"{checkpoint.fingerprint} {settings}"
        )
        self.finished: Learned | None = None
        self.iterations = 0  # of finished runs
        self.saved = time.monotonic()

    def finish(self, learned: Learned) -> None:
        """Keep a finished run if it is the best; of objectives that agree to six digits, the first counts."""
        self.iterations += len(learned.history)
        kept = self.finished
        if kept is None or round(learned.objective, 6) > round(kept.objective, 6):
            self.finished = learned

    def save_if_due(self, run: Run) -> None:
        """Write a checkpoint if the last one is old enough."""
        step = self.iterations + len(run.history)
        if not (self.checkpoint and self.checkpoint.is_due(step, time.monotonic() - self.saved)):
            return
        tensors, state = _packed(run)
        state["iterations"] = self.iterations
        if self.finished:
            tensors |= {
                f"finished.{key}": torch.from_numpy(getattr(self.finished, key)) for key in ("rows", "scores")
            }
            state["finished"] = _records(self.finished.history)
        save_checkpoint(self.checkpoint.folder, self.checkpoint.fingerprint, step, tensors, state)
        self.saved = time.monotonic()

    def resume(self, device: torch.device) -> Run | None:
        """Return the run that was under way, if there is a checkpoint of it."""
        saved = self.checkpoint and load_checkpoint(self.checkpoint.folder, self.checkpoint.fingerprint)
        if not saved:
            return None
        tensors, state = saved
        LOG.info("self-learning resumed after iteration %d", len(state["history"]))
        self.iterations = state["iterations"]
        if "finished" in state:
            arrays = (tensors[f"finished.{key}"].numpy() for key in ("rows", "scores"))
            self.finished = Learned(*arrays, _iterations(state["finished"]))
        return _unpacked(tensors, state, device)


def _packed(run: Run) -> tuple[dict[str, torch.Tensor], dict[str, object]]:
    tensors = {"rows": torch.from_numpy(run.rows), "best_map": run.best_map.cpu()}
    tensors |= {f"near.{side}": near.cpu() for side, near in zip(SIDES, run.near, strict=True)}
    state = {key: getattr(run, key) for key in SCALARS}
    return tensors | {"random": run.generator.get_state()}, state | {"history": _records(run.history)}


def _unpacked(tensors: dict[str, torch.Tensor], state: dict[str, object], device: torch.device) -> Run:
    generator = torch.Generator()
    generator.set_state(tensors["random"])
    return Run(
        **{key: state[key] for key in SCALARS},
        rows=tensors["rows"].numpy(),
        generator=generator,
        best_map=tensors["best_map"].to(device),
        near=tuple(tensors[f"near.{side}"].to(device) for side in SIDES),
        history=_iterations(state["history"]),
    )


def _records(history: list[Iteration]) -> list[dict[str, float | None]]:
    return [asdict(step) for step in history]


def _iterations(records: list[dict[str, float | None]]) -> list[Iteration]:
    return [Iteration(**record) for record in records]
