"""How sure a model is of the examples of a language, and which of them it reads again to find the surest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from torch import nn

from xstitch.models.settings.transfer import SelfTrainingSettings
from xstitch.models.tagging import IGNORED
from xstitch.models.transfer.domains import Domain, answer_items

NEVER = -1
Read = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # see `read_sureness`


def read_sureness(model: nn.Module, domain: Domain, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Read some examples; return the probabilities of their classes and the labels of all items in them."""
    scores = answer_items(model, domain, rows).cpu()
    items = scores[:, 0].isnan().logical_not().nonzero()[:, 0].numpy()
    labels = np.full(len(domain.gold), IGNORED)
    labels[items] = scores[items].argmax(dim=1).numpy()
    return example_sureness(domain, items, scores[items].softmax(dim=1).numpy())[rows], labels


def choose_sure(probabilities: np.ndarray, number: int) -> np.ndarray:
    """Choose the surest examples, the same number of each predicted class, so that no easy class dominates.

    `number` is split evenly, with at least one per class; a class with fewer examples gives all it has. Ties
    go to the earliest. Sureness is compared to six digits; beyond that, rounding would choose.
    """
    return _surest(*_answers(probabilities), probabilities.shape[1], number)


def _answers(probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the predicted class of every example and its sureness, to six digits."""
    return probabilities.argmax(axis=1), np.round(probabilities.max(axis=1), 6)


def _surest(predicted: np.ndarray, sureness: np.ndarray, classes: int, number: int) -> np.ndarray:
    each = max(1, number // classes)
    chosen = []
    for label in range(classes):
        members = np.flatnonzero(predicted == label)
        chosen.append(members[np.argsort(-sureness[members], kind="stable")][:each])
    return np.sort(np.concatenate(chosen))


def example_sureness(domain: Domain, items: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Turn the answers for items into one row per example: a text's own, or the mean over a sentence's words.

    A sentence gets the class most supported by its words, apart from the first label, which most words of any
    sentence have: otherwise a class-balanced choice would only see that one class.
    """
    if domain.first is None:
        result = np.zeros((len(domain), probabilities.shape[1]), dtype=probabilities.dtype)
        result[items] = probabilities
        return result
    rows = np.repeat(np.arange(len(domain)), domain.first.lengths)[domain.first.values >= 0]
    owner = np.empty(len(domain.gold), dtype=np.int64)
    owner[domain.first.values[domain.first.values >= 0]] = rows
    sums = np.zeros((len(domain), probabilities.shape[1]))
    np.add.at(sums, owner[items], probabilities)
    sure = np.zeros(len(domain))
    np.add.at(sure, owner[items], probabilities.max(axis=1))
    counts = np.maximum(1, np.bincount(owner[items], minlength=len(domain)))
    named = sums[:, 1:].argmax(axis=1) + 1
    label = np.where(sums[:, 1:].max(axis=1) > 0.5, named, 0)
    result = np.zeros_like(sums)
    result[np.arange(len(domain)), label] = sure / counts
    return result


class Pool:
    """A language's examples, what is known of the model's answers to them, and the choice of the surest.

    With `reread: 1` every round reads all examples. With less, it reads that share: half of it the examples
    that were the surest of their class when they were last read, the other half those that have not been read
    for the longest time. Only examples read in a round can be chosen in it, so that every choice and every
    label is the current model's; what a round may miss is an example that became sure since it was read.
    """

    def __init__(self, read: Read, size: int, settings: SelfTrainingSettings, seed: int) -> None:
        self.read, self.size = read, size
        self.number = max(1, round(settings.share * size))
        self.budget = math.ceil(settings.reread * size)
        self.round, self.classes = 0, 1
        self.predicted = np.zeros(size, dtype=np.int64)
        self.sureness = np.zeros(size)
        self.last_read = np.full(size, NEVER)
        # Data may be sorted by class: of examples that have waited equally long, any may be next.
        self.turns = np.random.default_rng(seed).permutation(size)

    def choose(self) -> tuple[np.ndarray, np.ndarray]:
        """Read what this round has to; return the examples to learn from and the labels of items read."""
        rows = self.due()
        probabilities, labels = self.read(rows)
        self.classes = probabilities.shape[1]
        self.predicted[rows], self.sureness[rows] = _answers(probabilities)
        self.last_read[rows] = self.round
        self.round += 1
        return rows[choose_sure(probabilities, self.number)], labels

    def due(self) -> np.ndarray:
        """Return the examples that the next round reads."""
        if self.round == 0 or self.budget >= self.size:
            return np.arange(self.size)
        surest = _surest(self.predicted, self.sureness, self.classes, self.budget // 2)
        order = self.last_read * self.size + self.turns
        order[surest] = order.max() + 1  # these are read anyway
        others = self.budget - len(surest)
        longest = np.argpartition(order, others)[:others]
        return np.sort(np.concatenate([surest, longest]))

    def position(self) -> dict[str, Any]:
        """Return what is known, as plain data; nothing if every round reads everything."""
        if self.budget >= self.size:
            return {}
        known = {name: getattr(self, name).tolist() for name in ("predicted", "sureness", "last_read")}
        return {"round": self.round, "classes": self.classes, **known}

    def restore(self, position: dict[str, Any]) -> None:
        """Know again what `position` returned."""
        for name, value in position.items():
            setattr(self, name, np.array(value) if isinstance(value, list) else value)
