"""Heads for a language with a few labelled texts: logistic regression on features that stay as they are.

Labelled texts of the source language count too, if they are given. Strength, and what a target text counts
for beside a source text, are chosen by cross-validation on the labelled target texts: no others are labelled.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from xstitch.models.settings.labelled import LabelledSettings

LOG = logging.getLogger("xstitch")
ITERATIONS = 2000
UNSEEN = 1e-12  # the probability of a label without training texts


class Texts(NamedTuple):
    """Standardised features of texts (texts x width) and the numbers of their labels."""

    features: np.ndarray
    labels: np.ndarray

    def some(self, rows: np.ndarray) -> Texts:
        """Return some of the texts."""
        return Texts(self.features[rows], self.labels[rows])


class Choice(NamedTuple):
    """A strength and the weight of a target text, with their mean loss on held-out target texts."""

    loss: float
    strength: float
    weight: float


def standardised_texts(
    features: Mapping[str, np.ndarray], labels: Mapping[str, Sequence[int]]
) -> dict[str, Texts]:
    """Standardise a language's features by its training texts, labelled or not; both by split."""
    scaler = StandardScaler().fit(features["train"].astype(np.float64))
    return {
        split: Texts(scaler.transform(features[split].astype(np.float64)), np.asarray(numbers))
        for split, numbers in labels.items()
    }


def labelled_answers(
    target: Texts, source: Texts | None, asked: np.ndarray, number: int, settings: LabelledSettings
) -> np.ndarray:
    """Fit a head to labelled texts and return the probabilities of all labels for the texts asked about."""
    choice = choose_head(target, source, number, settings)
    LOG.info(
        "%d target labels: strength %g, weight %g, loss %.4f", len(target.labels), *choice[1:], choice[0]
    )
    return head_answers(target, source, choice.strength, choice.weight, asked, number)


def choose_head(target: Texts, source: Texts | None, number: int, settings: LabelledSettings) -> Choice:
    """Choose strength and weight by the loss on held-out target texts; of equal losses, the first tried.

    Texts are dealt into folds in their order, which is the task's.
    """
    fold = np.arange(len(target.labels)) % min(settings.folds, len(target.labels))
    tried = []
    for strength, weight in product(settings.strengths, settings.weights if source else [1.0]):
        losses = np.empty(len(fold))
        for held_out in range(fold.max() + 1):
            there = fold == held_out
            rest, asked = target.some(~there), target.features[there]
            answers = head_answers(rest, source, strength, weight, asked, number)
            losses[there] = -np.log(answers[np.arange(there.sum()), target.labels[there]])
        tried.append(Choice(float(losses.mean()), strength, weight))
    return min(tried, key=lambda choice: choice.loss)


def head_answers(
    target: Texts, source: Texts | None, strength: float, weight: float, asked: np.ndarray, number: int
) -> np.ndarray:
    """Fit a head with a strength and weight; a label that no text has keeps a probability of next to 0."""
    features, labels, weights = target.features, target.labels, np.full(len(target.labels), weight)
    if source is not None:
        features, labels = (np.concatenate(both) for both in zip(target, source, strict=True))
        weights = np.concatenate([weights, np.ones(len(source.labels))])
    answers = np.full((len(asked), number), UNSEEN)
    if len(seen := np.unique(labels)) == 1:  # there is nothing to fit
        answers[:, seen] = 1.0
    else:
        head = LogisticRegression(C=strength, max_iter=ITERATIONS).fit(features, labels, weights)
        answers[:, head.classes_] = np.maximum(head.predict_proba(asked), UNSEEN)
    return answers / answers.sum(axis=1, keepdims=True)
