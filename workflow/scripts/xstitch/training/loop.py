"""The training engine: one loop over updates for everything this project trains.

The caller provides modules, a loss function of a batch, a stream of batches and a schedule, or several
objectives (losses with their own streams), whose gradients every update adds up. The engine provides seeding,
the optimiser and its schedule, accumulation, clipping, bf16 on GPUs, evaluation with a choice of the best
weights, and checkpoints from which a killed run ends with the same weights, bit for bit, as an undisturbed
one. If this is one of several processes (`processes`), they share every update.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import torch
from torch import nn

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.training import checkpoints
from xstitch.training.checkpoints import Checkpoint, Tensors
from xstitch.training.devices import choose_device, evaluating, half_precision, move, seed_all
from xstitch.training.history import History, Record
from xstitch.training.schedule import Schedule
from xstitch.training.shares import Sharing, Team, can_share

LOG = logging.getLogger("xstitch")
EQUAL = 1e-9  # metrics that differ by less are the same
# Which weights a run ends with, by its metric; with "last" the metric is only recorded.
Choice = Literal["highest", "lowest", "last"]


class Batches(Protocol):
    """An endless stream of batches whose position can be saved and restored."""

    def __next__(self) -> Any: ...

    def __len__(self) -> int:
        """Return the number of batches in an epoch."""

    def position(self) -> dict[str, int]: ...

    def restore(self, position: dict[str, int]) -> None: ...


@dataclass(frozen=True)
class Objective:
    """A loss and the batches it is computed on, one of several that are trained together.

    Its gradient is computed separately: only one objective at a time is in memory.
    """

    loss: Callable[[Any], torch.Tensor]
    batches: Batches
    weight: float = 1.0  # of the loss in the sum of all
    accumulation: int | None = None  # batches per update; the schedule's if not given
    sharing: Sharing | None = None  # among processes; none: only one can compute it


def adamw(
    root: nn.Module, schedule: Schedule, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8
) -> torch.optim.AdamW:
    """Make an AdamW over the trainable parameters; biases and layer norms (all vectors) do not decay."""
    trainable = [p for p in root.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in trainable if p.ndim > 1], "weight_decay": schedule.weight_decay},
        {"params": [p for p in trainable if p.ndim <= 1], "weight_decay": 0.0},
    ]
    # One fused kernel: 1.0 ms per update of a small BERT on a CPU core, against 3.6 (foreach) and 4.3.
    return torch.optim.AdamW(groups, lr=schedule.learning_rate, betas=betas, eps=eps, fused=True)


MakeOptimiser = Callable[[nn.Module, Schedule], torch.optim.Optimizer]
Observer = Callable[[int], None]  # of the number of updates made


def count_tokens(batch: Any) -> int:
    """Count the real tokens of a batch by its attention masks; 0 if it has none."""
    if not isinstance(batch, Mapping):
        return 0
    outer = int(batch["attention_mask"].sum()) if "attention_mask" in batch else 0
    return outer + sum(count_tokens(value) for value in batch.values() if isinstance(value, Mapping))


class _Run:
    """The state of a run: everything a checkpoint must save."""

    def __init__(
        self,
        root: nn.ModuleDict,
        objectives: Mapping[str, Objective],
        schedule: Schedule,
        optimiser: MakeOptimiser,
        team: Team,
    ) -> None:
        self.team = team
        self.root, self.objectives, self.schedule = root, objectives, schedule
        self.device = next(root.parameters()).device
        self.optimiser = optimiser(root, schedule)
        self.epoch = len(next(iter(objectives.values())).batches)
        self.steps, self.interval = schedule.total_steps(self.epoch), schedule.interval(self.epoch)
        self.history = History()
        self.best: Tensors = {}
        self.step = 0
        self.tokens = 0
        self.losses: list[dict[str, float]] = []

    def changing(self) -> Tensors:
        """Return what training may change: buffers and trainable parameters, but no frozen ones."""
        parameters = {name: p.detach() for name, p in self.root.named_parameters() if p.requires_grad}
        return parameters | dict(self.root.named_buffers())

    def update(self) -> float:
        """Update the weights once; return the loss."""
        factor = self.schedule.factor(self.step, self.schedule.span(self.epoch))
        for group in self.optimiser.param_groups:
            # A group may have its own learning rate, its "peak", and may keep it constant.
            peak = group.setdefault("peak", self.schedule.learning_rate)
            group["lr"] = peak if group.get("constant") else peak * factor
        self.team.begin_update()
        parts = {name: self._accumulate(name) for name in self.objectives}
        parts = self.team.add_losses(parts, self.device)
        self._check(parts)
        self.losses.append(parts)
        parameters = [p for group in self.optimiser.param_groups for p in group["params"]]
        self.team.add_gradients(parameters)
        if self.schedule.clip is not None:
            nn.utils.clip_grad_norm_(parameters, self.schedule.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.step += 1
        return sum(parts.values())

    def _accumulate(self, name: str) -> float:
        """Add up the gradients of this process's share of an objective; return what it adds to the loss."""
        objective = self.objectives[name]
        whole = objective.accumulation or self.schedule.accumulation
        number = objective.accumulation or self.schedule.batches_of(self.step, self.epoch)
        total = torch.zeros((), device=self.device)
        for _ in range(number):
            batch = next(objective.batches)
            self.tokens += count_tokens(batch)
            if (share := self.team.share(objective.sharing, batch)) is None:
                continue
            batch, part = share
            with self.team.draws(self.schedule.seed, self.step):
                with half_precision(self.device, self.schedule.bf16):
                    loss = objective.loss(move(batch, self.device))
                    value = objective.weight * part * loss / whole
                value.backward()
            total += value.detach()
        return total.item() * (whole / number)

    def _check(self, parts: Mapping[str, float]) -> None:
        """Refuse a loss that is not a number."""
        for name, loss in parts.items():
            if not math.isfinite(loss):
                what = "loss" if len(parts) == 1 else f"loss of {name}"
                raise InputError(
                    f"training: the {what} is {loss} at step {self.step + 1} of {self.steps}; lower "
                    f"learning_rate ({self.schedule.learning_rate}) or clip, or look for broken inputs"
                )

    def record(self, evaluate: Callable[[], float] | None, choice: Choice) -> None:
        """Add a line to the history; keep the weights if they are the best so far."""
        metric = None
        if evaluate is not None and self.team.is_first:
            with evaluating(self.root), self.team.evaluation():
                metric = float(evaluate())
        means = {name: _mean([parts[name] for parts in self.losses]) for name in self.objectives}
        entry = Record(self.step, sum(means.values()), metric, means if len(means) > 1 else {})
        self.losses = []
        self.history.records.append(entry)
        if metric is None or choice == "last":
            return
        best = self.history.best
        # Of equal metrics the latest wins: few held-out examples leave a metric flat for long, while the
        # weights still learn. Rounding must not make equal ones differ.
        gain = 0.0 if best is None else metric - best.metric
        if best is None or (gain <= EQUAL if choice == "lowest" else gain >= -EQUAL):
            self.history.best = entry
            self.best = {name: tensor.to("cpu", copy=True) for name, tensor in self.changing().items()}

    def kept(self) -> tuple[int, int, str]:
        """Return the step whose weights the run ends with, of how many, and what they were chosen by."""
        best = self.history.best
        return (
            (self.step, self.steps, "") if best is None else (best.step, self.steps, f" ({best.metric:.4f})")
        )

    def save(self, checkpoint: Checkpoint, fingerprint: str) -> None:
        """Write a checkpoint."""
        random_tensors, random_values = checkpoints.random_state()
        optimiser_tensors, optimiser_values = checkpoints.optimiser_state(self.optimiser)
        tensors = checkpoints.join(
            weights=self.changing(), best=self.best, random=random_tensors, optimiser=optimiser_tensors
        )
        state = {
            "step": self.step,
            "losses": self.losses,
            "history": self.history.as_dict(),
            "positions": {name: part.batches.position() for name, part in self.objectives.items()},
            "random": random_values,
            "optimiser": optimiser_values,
        }
        checkpoints.save_checkpoint(checkpoint.folder, fingerprint, self.step, tensors, state)

    def resume(self, checkpoint: Checkpoint, fingerprint: str) -> None:
        """Continue from the last checkpoint of this run, if there is one."""
        saved = checkpoints.load_checkpoint(checkpoint.folder, fingerprint)
        if saved is None:
            return
        tensors, state = saved
        self.put(checkpoints.part(tensors, "weights"))
        self.best = checkpoints.part(tensors, "best")
        checkpoints.restore_optimiser(
            self.optimiser, checkpoints.part(tensors, "optimiser"), state["optimiser"]
        )
        self.step, self.losses = state["step"], state["losses"]
        self.history = History.from_dict(state["history"])
        for name, objective in self.objectives.items():
            objective.batches.restore(state["positions"][name])
        checkpoints.restore_random_state(checkpoints.part(tensors, "random"), state["random"])
        LOG.info("resumed at step %d of %d from %s", self.step, self.steps, checkpoint.folder)

    def put(self, tensors: Tensors) -> None:
        """Set weights and buffers in place."""
        for name, tensor in self.changing().items():
            tensor.copy_(tensors[name])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def held_out_loss(
    loss: Callable[[Any], torch.Tensor],
    collate: Callable[[Any], Any],
    batches: Sequence[Any],
    size: Callable[[Any], int],
) -> Callable[[], float]:
    """Make the function that returns the mean loss over held-out examples.

    A batch's loss, a mean, counts `size` times: as often as the batch has examples.
    """

    def mean() -> float:
        total, number = 0.0, 0
        for rows in batches:
            batch = collate(rows)
            total += loss(move(batch, choose_device())).item() * size(batch)
            number += size(batch)
        return total / number

    return mean


def train(
    modules: nn.Module | Mapping[str, nn.Module],
    loss: Callable[[Any], torch.Tensor],
    batches: Batches,
    schedule: Schedule,
    evaluate: Callable[[], float] | None = None,
    checkpoint: Checkpoint | None = None,
    best: Choice = "highest",
    label: str = "train",
    optimiser: MakeOptimiser = adamw,
    sharing: Sharing | None = None,
    observe: Observer | None = None,
) -> History:
    """Train `modules` by one loss on one stream of batches; see `train_jointly`."""
    objectives = {"loss": Objective(loss, batches, sharing=sharing)}
    return train_jointly(modules, objectives, schedule, evaluate, checkpoint, best, label, optimiser, observe)


def train_jointly(
    modules: nn.Module | Mapping[str, nn.Module],
    objectives: Mapping[str, Objective],
    schedule: Schedule,
    evaluate: Callable[[], float] | None = None,
    checkpoint: Checkpoint | None = None,
    best: Choice = "highest",
    label: str = "train",
    optimiser: MakeOptimiser = adamw,
    observe: Observer | None = None,
) -> History:
    """Train `modules` in place and return the history.

    With `evaluate`, they end with the best weights, unless the schedule keeps the last; the log names the
    step.

    A loss maps a batch on the right device to a scalar; it closes over what it needs but must not train (a
    teacher). The first objective's stream defines an epoch. `evaluate` runs without gradients and dropout; of
    equal metrics the latest counts. `observe` is called before the first update and after each; it must leave
    weights, their gradients and all random generators as they are. The caller seeds (`seed_all`) before it
    makes the modules, and calls `checkpoint.remove()` once it has written its output. If several processes
    share the training, only the first one returns; the others end.
    """
    if schedule.keep == "lowest-loss" and best == "highest":
        raise InputError("training: keep: lowest-loss is not possible here; legal: best, last")
    best = "last" if schedule.keep == "last" else best
    named = dict(modules) if isinstance(modules, Mapping) else {"model": modules}
    root = nn.ModuleDict(named).to(choose_device()).train()
    seed_all(schedule.seed)
    run = _Run(root, objectives, schedule, optimiser, _team(objectives, schedule, label))
    # Another schedule or amount of data is another run, whatever fingerprint the caller gives.
    shapes = {name: list(tensor.shape) for name, tensor in run.changing().items()}
    parts = {name: (len(o.batches), o.weight, o.accumulation) for name, o in objectives.items()}
    fingerprint = (
        f"{checkpoint.fingerprint} {schedule} {parts} {run.device.type} {shapes}" if checkpoint else ""
    )
    if checkpoint:
        with run.team.first_goes_first(run.device):  # it removes checkpoints of no use
            run.resume(checkpoint, fingerprint)
    run.team.copy_first(run.changing())
    first, started, saved = run.step, time.monotonic(), time.monotonic()
    if observe:
        observe(run.step)
    with progress(range(first, run.steps), label, total=run.steps, unit="step", initial=first) as bar:
        for _ in bar:
            loss = run.update()
            seconds = max(time.monotonic() - started, 1e-9)
            bar.set_postfix_str(f"loss {loss:.4f}, {run.tokens / seconds:,.0f} tokens/s", refresh=False)
            if observe:
                observe(run.step)
            if run.step % run.interval == 0 or run.step == run.steps:
                run.record(evaluate, best)
            if checkpoint and run.team.is_first and checkpoint.is_due(run.step, time.monotonic() - saved):
                run.save(checkpoint, fingerprint)
                saved = time.monotonic()
    seconds = max(time.monotonic() - started, 1e-9)
    LOG.info(
        "%s: %d steps in %.1f s, %.1f steps/s, %.0f tokens/s",
        *(label, run.step - first, seconds, (run.step - first) / seconds, run.tokens / seconds),
    )
    run.team.part(run.device)
    if run.best:
        run.put(run.best)
    LOG.info("%s: kept the weights of step %d of %d%s", label, *run.kept())
    return run.history


def _team(objectives: Mapping[str, Objective], schedule: Schedule, label: str) -> Team:
    """Have all processes share a training if its objectives allow that; else the first one is alone."""
    team = Team()
    numbers = {name: (o.sharing, o.accumulation or schedule.accumulation) for name, o in objectives.items()}
    if team.size > 1 and not can_share(numbers):
        LOG.info("%s cannot be shared by %d processes: one GPU trains", label, team.size)
        team.part(choose_device())
    return team
