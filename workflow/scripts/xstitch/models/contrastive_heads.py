"""Heads on a body that is first tuned on pairs of a few labelled texts, as SetFit does.

Two texts of one label shall have the cosine 1, two of different labels the cosine 0. Then logistic regression
is fitted to what the tuned body makes of the same texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from xstitch.core.files import load_npz, read_json, save_npz
from xstitch.core.progress import progress
from xstitch.encoders.folders import load_classifier
from xstitch.encoders.inputs import Inputs, run_model
from xstitch.encoders.packed.encoder import pack_encoder
from xstitch.models.frozen import CHOICE, Standardised
from xstitch.models.labelled_heads import Texts, head_answers
from xstitch.models.pooled_classifier import pooled_states
from xstitch.models.settings.contrastive import ContrastiveSettings
from xstitch.models.transfer.attempts import workplace
from xstitch.training.batches import scheduled_batches
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, evaluating, evaluation_batches, move
from xstitch.training.loop import train
from xstitch.training.schedule import Schedule

ANSWERS = "answers.npz"


class Known(NamedTuple):
    """The labelled ones among a language's training texts: their places and the numbers of their labels."""

    rows: np.ndarray
    labels: np.ndarray


class Pairs(NamedTuple):
    """Pairs of labelled texts by their numbers, and whether both have one label (1 or 0)."""

    first: np.ndarray
    second: np.ndarray
    same: np.ndarray


class PooledBody(nn.Module):
    """The layers of a pooled classifier up to the one whose states it pools: batches in, pooled states out.

    `source_model` is the model that the head was fitted in, whose folder says how states are pooled.
    """

    def __init__(self, model: Path, source_model: Path) -> None:
        super().__init__()
        self.body = load_classifier(model).base_model
        self.pooling = read_json(source_model / CHOICE)["pooling"]
        del self.body.encoder.layer[-1]  # it stands for the pooling, and must not learn
        pack_encoder(self.body)

    def forward(self, batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Pool the states of every text of a batch (texts x width)."""
        states = run_model(self.body, batch).last_hidden_state
        return pooled_states(states, batch["attention_mask"], self.pooling, self.body.config.layer_norm_eps)

    def features(self, texts: Inputs) -> np.ndarray:
        """Pool the states of all texts, without dropout."""
        device, found = choose_device(), np.empty((len(texts.ids), self.body.config.hidden_size), "float32")
        self.to(device)
        with evaluating(self):
            for rows in progress(evaluation_batches(texts.ids.lengths, device), "encoding", unit="batch"):
                found[rows] = self(move(texts.collate(rows), device)).float().cpu().numpy()
        return found


def kept_answers(
    answer: Callable[[Checkpoint], np.ndarray], target: str, seed: int, checkpoint: Checkpoint
) -> np.ndarray:
    """Answer with a checkpoint of the case's own, unless a job that was killed has done so.

    Answers stay until the caller removes the checkpoint.
    """
    folder = workplace(checkpoint) / target / str(seed)
    own = replace(checkpoint, folder=folder / "checkpoint")
    if not (folder / ANSWERS).is_file():
        save_npz(folder / ANSWERS, answers=answer(own))
        own.remove()
    return load_npz(folder / ANSWERS)["answers"]


def contrastive_answers(
    body: PooledBody,
    texts: Mapping[str, Inputs],
    known: Known,
    number: int,
    settings: ContrastiveSettings,
    schedule: Schedule,
    checkpoint: Checkpoint | None = None,
) -> np.ndarray:
    """Tune a body in place, fit a head and return the probabilities of all labels for the test texts.

    Features are standardised by all training texts of the language, labelled or not, as those of other heads.
    """
    tune_body(body, texts["train"], known, settings, schedule, checkpoint)
    features = {split: body.features(some) for split, some in texts.items()}
    moments = Standardised.of(features["train"])
    target = Texts(moments.apply(features["train"][known.rows]), known.labels)
    return head_answers(target, None, settings.strength, 1.0, moments.apply(features["test"]), number)


def tune_body(
    body: PooledBody,
    texts: Inputs,
    known: Known,
    settings: ContrastiveSettings,
    schedule: Schedule,
    checkpoint: Checkpoint | None = None,
) -> None:
    """Tune a body on pairs of labelled texts; if all have one label, there is nothing to tell apart."""
    if len(np.unique(known.labels)) == 1:
        return
    pairs = draw_pairs(known.labels, settings, schedule.seed)
    first, second = known.rows[pairs.first], known.rows[pairs.second]
    same = torch.from_numpy(pairs.same)

    def collate(numbers: np.ndarray) -> dict[str, Any]:
        sides = {"first": texts.collate(first[numbers]), "second": texts.collate(second[numbers])}
        return {**sides, "same": same[numbers]}

    def loss(batch: Mapping[str, Any]) -> torch.Tensor:
        return pair_loss(body(batch["first"]), body(batch["second"]), batch["same"])

    lengths = np.maximum(texts.ids.lengths[first], texts.ids.lengths[second])
    batches = scheduled_batches(lengths, schedule, collate)
    train(body, loss, batches, schedule, checkpoint=checkpoint, label="contrasting")


def pair_loss(first: torch.Tensor, second: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """Compute the mean squared difference between the cosines of pairs of rows and 1 or 0."""
    return nn.functional.mse_loss(nn.functional.cosine_similarity(first, second), same)


def draw_pairs(labels: np.ndarray, settings: ContrastiveSettings, seed: int) -> Pairs:
    """Draw the pairs of all rounds, or as many of them as the settings allow."""
    random = np.random.default_rng(seed)
    drawn = list(islice(_rounds(labels, settings.rounds, random), settings.max_pairs))
    first, second = np.array(drawn, dtype=np.int64).T
    return Pairs(first, second, (labels[first] == labels[second]).astype(np.float32))


def _rounds(labels: np.ndarray, rounds: int, random: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Pair every text with one of its label and with one of another label, in every round.

    Rounds take the texts in random orders, so that one that is cut short leaves out any of them. No text is
    paired with itself: one that has its label to itself is only in pairs of different labels.
    """
    for _ in range(rounds):
        for text in random.permutation(len(labels)):
            alike = labels == labels[text]
            different = np.flatnonzero(~alike)
            alike[text] = False
            for partners in (np.flatnonzero(alike), different):
                if len(partners):
                    yield text, partners[random.integers(len(partners))]
