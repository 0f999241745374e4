"""Whether alignment losses pull an encoder where its task pulls it: cosines of gradients over a fine-tuning.

A classifier is fine-tuned as ever. Before the first update, after the last and at points between them, the
gradient of the task's loss is compared with those that WordOT, DCCA and a critic of languages would have at
the same weights, over the weights of the encoder that all of them share. Nothing of this reaches the
training: it ends with the same weights, bit for bit, as one that nobody watches.

Every gradient is that of a loss as an optimiser would minimise it, so that a positive cosine means that a
small step for one loss lowers the other, too. The critic's is reversed on its way into the encoder, as in
adversarial alignment: it is the one that makes languages harder to tell apart.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import torch
from torch import nn

from xstitch.encoders.continued import join_spaces, read_vocabulary, words_objective
from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.encoders.packed.encoder import unpacked
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.encoders.wordot import read_bitexts, transport_objectives
from xstitch.models.classification import Finetuning, start_finetuning
from xstitch.models.settings.gradients import GradientSettings
from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.transfer.domains import make_domain
from xstitch.models.transfer.trained_critic import critic_objective
from xstitch.spaces.aligned import load_aligned
from xstitch.training.checkpoints import random_aside
from xstitch.training.devices import choose_device, without_dropout
from xstitch.training.gradients import compare, evenly_spaced, mean_gradient
from xstitch.training.loop import Objective, train
from xstitch.training.schedule import Schedule

if TYPE_CHECKING:
    import pandas as pd

TASK, WORDOT, DCCA, CRITIC = "task", "wordot", "dcca", "critic"  # losses
POOLER = "pooler."  # between encoder and head: only losses of whole texts reach it
LAYER = re.compile(r"(?:^|\.)layer\.(\d+)\.")
EMBEDDINGS = "0"  # the layer before the first


@dataclass(frozen=True)
class FollowedTask:
    """A task as a classifier is fine-tuned on it in the source language."""

    encoder: Path
    source: str
    training: pd.DataFrame
    labels: Sequence[str]
    max_length: int
    schedule: Schedule


@dataclass(frozen=True)
class TargetData:
    """What alignment losses need of a target language: sentence pairs, aligned vectors, unlabelled texts."""

    language: str
    parallel: Path
    aligned: Path
    texts: pd.DataFrame


@dataclass(frozen=True)
class LossSettings:
    """How each alignment loss is configured, and in which batches its critic sees texts."""

    wordot: WordotSettings
    dcca: ContinuationSettings
    critic: AdversarialSettings
    critic_schedule: Schedule


class Compared(NamedTuple):
    """A loss in a target language; `at` makes what is minimised as the model is after some updates."""

    loss: str
    target: str
    at: Callable[[int], Objective]


class Row(NamedTuple):
    """A gradient beside the task's, in one layer or in all, at one point; `norm` is that of the loss."""

    loss: str
    target: str
    point: int
    update: int
    layer: str
    draw: int
    cosine: float
    norm: float
    task_norm: float


def measure_gradients(
    task: FollowedTask,
    targets: Sequence[TargetData],
    losses: LossSettings,
    settings: GradientSettings,
    folder: Path,
) -> pa.Table:
    """Fine-tune a classifier and measure on the way; vectors of words wait on the disk of `folder`."""
    start = start_finetuning(task.encoder, task.training, task.labels, task.schedule, task.max_length)
    start.model.to(choose_device())
    compared = alignment_losses(start, task, targets, losses, settings, folder)
    rows = follow(start, task, list(compared), settings)
    return pa.table({name: [getattr(row, name) for row in rows] for name in Row._fields})


def follow(
    start: Finetuning, task: FollowedTask, compared: Sequence[Compared], settings: GradientSettings
) -> list[Row]:
    """Fine-tune, and compare the gradients of losses with the task's at evenly spaced updates."""
    # Nothing is held out to choose weights by, and measuring ends with the last.
    schedule = replace(task.schedule, keep="last")
    stream = start.stream(schedule)
    follower = Follower(start, task, compared, settings, schedule.total_steps(len(stream)))
    train(start.model, start.loss, stream, schedule, label="fine-tuning", observe=follower)
    return follower.rows


class Follower:
    """Measures the gradients of a classifier that someone else trains."""

    def __init__(
        self,
        start: Finetuning,
        task: FollowedTask,
        compared: Sequence[Compared],
        settings: GradientSettings,
        steps: int,
    ) -> None:
        self.model, self.settings, self.seed = start.model, settings, task.schedule.seed
        # Batches in orders of their own, so that no gradient is the one that the last update was made by.
        first, second = (start.stream(replace(task.schedule, seed=self.seed + n)) for n in (1, 2))
        self.task = Objective(start.loss, first)
        again = Compared(TASK, task.source, lambda _: Objective(start.loss, second))
        self.compared = [again, *compared]
        self.points = {update: point for point, update in enumerate(evenly_spaced(steps, settings.points))}
        self.layers, self.parameters = zip(*shared_parameters(start.model), strict=True)
        self.rows: list[Row] = []

    def __call__(self, update: int) -> None:
        """Measure, if it is time to, and leave everything as it was."""
        if update not in self.points:
            return
        with without_dropout(self.model), unpacked(self.model), random_aside(self.seed + update):
            objectives = [(loss, loss.at(update)) for loss in self.compared]
            for draw in range(self.settings.draws):
                self._draw(update, draw, objectives)

    def _draw(self, update: int, draw: int, objectives: Sequence[tuple[Compared, Objective]]) -> None:
        task = self._gradient(self.task)
        for loss, objective in objectives:
            place = loss.loss, loss.target, self.points[update], update
            for layer, found in compare(self._gradient(objective), task, self.layers).items():
                self.rows.append(Row(*place, layer, draw, *found))

    def _gradient(self, objective: Objective) -> list[torch.Tensor]:
        # A batch of DCCA's words may come in parts, which one update averages over.
        number = self.settings.batches * (objective.accumulation or 1)
        return mean_gradient(
            lambda batch: objective.weight * objective.loss(batch),
            objective.batches,
            number,
            self.parameters,
        )


def shared_parameters(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    """Return the encoder's weights that learn, each with its layer; the head and its pooler are no part."""
    found = []
    for name, parameter in model.base_model.named_parameters():
        if parameter.requires_grad and not name.startswith(POOLER):
            layer = LAYER.search(name)
            found.append((str(int(layer[1]) + 1) if layer else EMBEDDINGS, parameter))
    return found


def alignment_losses(
    start: Finetuning,
    task: FollowedTask,
    targets: Sequence[TargetData],
    losses: LossSettings,
    settings: GradientSettings,
    folder: Path,
) -> Iterator[Compared]:
    """Yield the losses that align each target language with the source, all with batches of their own."""
    with unpacked(start.model):
        frozen = copy.deepcopy(start.model.base_model).eval().requires_grad_(False)
    for target in targets:
        wordot = _wordot(start, frozen, task, target, losses.wordot)
        dcca = _dcca(start, task, target, losses.dcca, folder)
        yield Compared(WORDOT, target.language, _always(wordot))
        yield Compared(DCCA, target.language, _always(dcca))
        yield Compared(CRITIC, target.language, _critics(start, task, target, losses, settings))


def _always(objective: Objective) -> Callable[[int], Objective]:
    """Return an objective that does not depend on how far a training is."""
    return lambda _: objective


def _wordot(
    start: Finetuning, frozen: nn.Module, task: FollowedTask, target: TargetData, settings: WordotSettings
) -> Objective:
    """Make WordOT's objective, which anchors the source where the encoder had it before fine-tuning."""
    tokenizer = load_fast_tokenizer(task.encoder, settings.max_length)
    bitexts = read_bitexts({target.language: target.parallel}, tokenizer, settings)
    (objective,) = transport_objectives(start.model.base_model, frozen, bitexts, settings).values()
    return objective


def _dcca(
    start: Finetuning, task: FollowedTask, target: TargetData, settings: ContinuationSettings, folder: Path
) -> Objective:
    """Make DCCA's objective, with words of the source and of one target."""
    tokenizer = load_fast_tokenizer(task.encoder, settings.max_length)
    vectors = join_spaces(task.source, [(target.language, load_aligned(target.aligned))])
    words = read_vocabulary(vectors, tokenizer, settings.max_words, folder)
    return words_objective(start.model, words, settings)


def _critics(
    start: Finetuning,
    task: FollowedTask,
    target: TargetData,
    losses: LossSettings,
    settings: GradientSettings,
) -> Callable[[int], Objective]:
    """Make the function that trains a new critic on the model as it is."""
    source, other = (
        make_domain(start.tokenizer, texts, task.labels, task.max_length)
        for texts in (task.training, target.texts)
    )

    def at(update: int) -> Objective:
        schedule = replace(losses.critic_schedule, seed=losses.critic_schedule.seed + update)
        return critic_objective(
            start.model, (source, other), losses.critic, schedule, settings.critic_updates
        )

    return at
