"""Importance-weighted domain alignment: a fine-tuned classifier learns to treat two languages alike.

The classifier keeps learning from the source's labels while an adversarial critic compares the features of
the source, weighted by class, with those of unlabelled target data; the classifier learns features that the
critic cannot tell apart. Without weights, if the target's class priors differ, some of its items would be
aligned with the wrong class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import nn

from xstitch.core.errors import InputError
from xstitch.encoders.folders import load_tokenizer, save_trained
from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.transfer.critic import (
    Critic,
    conditioned,
    critic_gap,
    gradient_norms,
    gradient_penalty,
    reverse_gradient,
    wasserstein_estimate,
)
from xstitch.models.transfer.domains import Answers, PairedStream, answer, load_domain, load_model, predict
from xstitch.models.transfer.importance import ImportanceWeights, solve_weights, true_weights
from xstitch.models.transfer.statistics import RunningMeans, Statistics, measure_start
from xstitch.models.transfer.task import Transfer
from xstitch.results.metrics import macro_f1
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, seed_all
from xstitch.training.history import Record
from xstitch.training.loop import adamw, train
from xstitch.training.schedule import Schedule


class StepLog(nn.Module):
    """Numbers logged at every step, kept in a buffer so that a resumed run has those of earlier steps."""

    def __init__(self, columns: Sequence[str], steps: int) -> None:
        super().__init__()
        self.columns = list(columns)
        self.register_buffer("values", torch.full((steps, len(columns)), math.nan))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    @property
    def step(self) -> int:
        """The number of steps logged."""
        return int(self.count)

    @torch.no_grad()
    def add(self, *numbers: float | torch.Tensor) -> None:
        """Log one step; a vector fills one column per element."""
        parts = [torch.as_tensor(number).detach().reshape(-1).to(self.values) for number in numbers]
        self.values[self.step] = torch.cat(parts)
        self.count += 1

    def table(self) -> pa.Table:
        """Return all steps as a table, one row per step."""
        values = self.values[: self.step].cpu().numpy()
        columns = {name: values[:, index] for index, name in enumerate(self.columns)}
        return pa.table({"step": np.arange(1, self.step + 1), **columns})


def adapt_adversarially(
    transfer: Transfer,
    settings: AdversarialSettings,
    schedule: Schedule,
    output: Path,
    checkpoint: Checkpoint | None = None,
) -> pa.Table:
    """Align a model's features of two languages; write the adapted folder and return the log of all steps.

    The last weights are kept: without target labels there is no way to choose the best ones.
    """
    schedule = transfer.scaled(schedule)
    if settings.critic_steps and schedule.accumulation > 1:
        raise InputError("adaptation: critic_steps need accumulation: 1; each of these updates is one batch")
    seed_all(schedule.seed)
    device = choose_device()
    model = load_model(transfer.model, transfer.target).to(device)
    modules: dict[str, nn.Module] = {"model": model}
    if (table := transfer.source_table()) is not None:
        modules["table"] = table.to(device)
    source, target = transfer.domains()
    classes = len(transfer.labels)
    start = (
        measure_start(model, source, classes, "gold", table),
        measure_start(model, target, classes, "predicted"),
    )
    stream = PairedStream(
        source.stream(schedule),
        target.stream(schedule, order=1),
    )
    modules |= _helpers(start, transfer.labels, settings, stream, schedule)
    watch = _watch(model, transfer)
    before = [Record(0, None, watch())] if watch else []
    history = train(
        modules,
        _alignment_loss(modules, settings),
        stream,
        schedule,
        watch,
        checkpoint,
        best="last",
        label="aligning",
        optimiser=_optimiser(settings),
    )
    history.records[:0] = before
    modules["weights"].settle()
    save_trained(output, model, load_tokenizer(transfer.model), history, checkpoint)
    return modules["log"].table()


def _helpers(
    start: tuple[Statistics, Statistics],
    labels: Sequence[str],
    settings: AdversarialSettings,
    stream: PairedStream,
    schedule: Schedule,
) -> dict[str, nn.Module]:
    """Make the modules that a run trains or updates besides the model: critic, weights, means, log."""
    classes, (source, target) = len(labels), start
    names = [f"{kind}_{label}" for kind in ("weight", "prior") for label in labels]
    calls = schedule.total_batches(len(stream))
    batches = [len(part) for part in stream.parts.values()]
    joint, predicted = source.joint / batches[0], target.joint.sum(axis=1) / batches[1]
    first = first_weights(joint, predicted, target.joint.sum(axis=0), settings)
    weights = ImportanceWeights(joint, predicted, first, settings.momentum)
    weights.offset.requires_grad_(settings.weights == "estimated")
    device = choose_device()
    helpers = {
        "critic": Critic(classes * (source.sums.shape[1] - 1), settings.hidden),
        "weights": weights,
        "means": RunningMeans([side.sums for side in start], batches, settings.momentum),
        "log": StepLog([*LOGGED, *names], calls),
    }
    return {name: module.to(device) for name, module in helpers.items()}


LOGGED = (
    "source_loss", "critic_loss", "gap", "gradient_norm", "wasserstein", "strength", "weights_loss",
    "feature_shift",
)  # fmt: skip


def first_weights(
    joint: np.ndarray, predicted: np.ndarray, gold_counts: np.ndarray, settings: AdversarialSettings
) -> np.ndarray:
    """Return the initial weights: solved and pulled towards 1, the oracle's, or all 1."""
    prior = joint.sum(axis=0) / joint.sum()
    if settings.weights == "none":
        return np.ones(len(prior))
    if settings.weights == "oracle":
        return true_weights(prior, gold_counts / gold_counts.sum())
    solved = solve_weights(joint, predicted)
    return np.where(prior > 0, (1 - settings.caution) * solved + settings.caution, 0.0)


def critic_group(critic: nn.Module, settings: AdversarialSettings) -> dict[str, Any]:
    """Return an optimiser's group of the critic's parameters, with a rate of its own; all of them decay."""
    return {
        "params": list(critic.parameters()),
        "peak": settings.critic_learning_rate,
        "constant": settings.critic_schedule == "constant",
        "weight_decay": settings.critic_decay,
    }


def _optimiser(settings: AdversarialSettings) -> Callable[[nn.Module, Schedule], torch.optim.Optimizer]:
    """Make the function that builds an optimiser with separate learning rates for critic and weights."""

    def make(root: nn.Module, schedule: Schedule) -> torch.optim.Optimizer:
        trained = nn.ModuleDict({name: root[name] for name in ("model", "table") if name in root})
        optimiser = adamw(trained, schedule)
        optimiser.add_param_group(critic_group(root["critic"], settings))
        if root["weights"].offset.requires_grad:
            optimiser.add_param_group(
                {
                    "params": [root["weights"].offset],
                    "peak": settings.weights_learning_rate,
                    "weight_decay": settings.weights_decay,
                }
            )
        return optimiser

    return make


def _alignment_loss(
    modules: Mapping[str, nn.Module], settings: AdversarialSettings
) -> Callable[[dict[str, Any]], torch.Tensor]:
    """Make the loss of a batch: classifier, critic and weights each minimise their own term."""
    model, critic, weights = modules["model"], modules["critic"], modules["weights"]
    means, log, table = modules["means"], modules["log"], modules.get("table")
    steps = len(log.values)

    def loss(batch: dict[str, Any]) -> torch.Tensor:
        weights.settle()  # the last step may have made the weights illegal
        alone = log.step % (settings.critic_steps + 1) < settings.critic_steps
        with torch.set_grad_enabled(not alone):
            source, target = answer(model, batch["source"], table), answer(model, batch["target"])
        strength = settings.strength * _risen(log.step, settings.strength_warmup * steps)
        share = _risen(log.step, settings.weights_warmup * steps)
        class_weights = torch.lerp(torch.ones_like(weights.weights), weights.weights, share)
        critic_loss, gap, penalty = critic_terms(critic, source, target, class_weights, settings, strength)
        task_loss = nn.functional.cross_entropy(source.logits, source.gold)
        weights.observe(source.logits.argmax(dim=1), source.gold, target.logits.argmax(dim=1))
        means.observe(source, target)
        log.add(
            *(task_loss, critic_loss, gap, penalty.sqrt(), wasserstein_estimate(gap, penalty), strength),
            *(weights.loss(), means.shift(), weights.weights, weights.target_prior()),
        )
        if alone:  # the optimiser skips parameters without a gradient
            return critic_loss
        return task_loss + critic_loss + (weights.loss() if weights.offset.requires_grad else 0.0)

    return loss


def critic_terms(
    critic: nn.Module,
    source: Answers,
    target: Answers,
    class_weights: torch.Tensor,
    settings: AdversarialSettings,
    strength: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the critic's loss, the gap that it raises, and its penalty.

    Minimising the loss raises the gap in the critic; the features' gradient is reversed on the way and lowers
    it.
    """
    reversal, raised = _scales(settings.strength_on, strength)
    inputs = [
        conditioned(reverse_gradient(side.features.float(), reversal), side.logits.softmax(dim=1))
        for side in (source, target)
    ]
    gap = critic_gap(critic(inputs[0]), class_weights[source.gold].float(), critic(inputs[1]))
    norms = gradient_norms(critic, *inputs)
    penalty = gradient_penalty(norms)
    counted = gradient_penalty(norms / len(norms)) if settings.penalty_of == "mean" else penalty
    return settings.penalty * counted - raised * gap, gap, penalty


def _risen(step: int, rise: float) -> float:
    """Return the share that something has reached which grows from 0 over the first steps."""
    return min(1.0, step / rise) if rise else 1.0


def _scales(scaled: str, strength: float) -> tuple[float, float]:
    """Return what the reversed gradient and the critic's gap are multiplied by."""
    return (1.0 if scaled == "gap" else strength), (1.0 if scaled == "reversal" else strength)


def _watch(model: nn.Module, transfer: Transfer) -> Callable[[], float] | None:
    """Make the function that records the target's macro-F1 during a run; it decides nothing."""
    if transfer.watched is None:
        return None
    domain = load_domain(transfer.model, transfer.watched, transfer.labels, transfer.max_length)

    def score() -> float:
        return macro_f1(*predict(model, domain), range(len(transfer.labels)))

    return score
