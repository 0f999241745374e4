"""Scores of predictions, in numpy: importing scikit-learn would cost every job 1.7 s."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def accuracy(gold: Sequence | np.ndarray, predicted: Sequence | np.ndarray) -> float:
    """Return the share of predictions that are right."""
    gold, predicted = _pair(gold, predicted)
    return float(np.mean(gold == predicted))


def macro_f1(gold: Sequence | np.ndarray, predicted: Sequence | np.ndarray, labels: Sequence) -> float:
    """Average the F1 of `labels` on the whole corpus; a label that is neither gold nor predicted counts as 0.

    This is the same number as sklearn.metrics.f1_score(labels=labels, average="macro", zero_division=0).
    """
    gold, predicted = _pair(gold, predicted)
    scores = []
    for label in labels:
        is_gold, is_predicted = gold == label, predicted == label
        total = is_gold.sum() + is_predicted.sum()
        scores.append(2 * (is_gold & is_predicted).sum() / total if total else 0.0)
    return float(np.mean(scores))


def weighted_f1(gold: Sequence | np.ndarray, predicted: Sequence | np.ndarray) -> float:
    """Average the labels' F1, each weighted by how often it is gold.

    This is the same number as sklearn.metrics.f1_score(average="weighted", zero_division=0).
    """
    gold, predicted = _pair(gold, predicted)
    labels, counts = np.unique(gold, return_counts=True)
    scores = [macro_f1(gold == label, predicted == label, [True]) for label in labels]
    return float(np.average(scores, weights=counts))


def mean_absolute_error(
    gold: Sequence | np.ndarray, predicted: Sequence | np.ndarray, labels: Sequence
) -> float:
    """Average the distance of predictions from the truth, in steps of the ordered `labels`, such as stars."""
    gold, predicted = _pair(gold, predicted)
    rank = {label: number for number, label in enumerate(labels)}
    steps = [abs(rank[one] - rank[two]) for one, two in zip(gold.tolist(), predicted.tolist(), strict=True)]
    return float(np.mean(steps))


def macro_f1_at_prior(gold: np.ndarray, predicted: np.ndarray, prior: np.ndarray) -> float:
    """Return the macro-F1 that predictions would have if the (numbered) labels had the shares `prior`.

    All items count, weighted by their labels: far more stable than scoring a sample with those shares.
    """
    gold, predicted = _pair(gold, predicted)
    classes = len(prior)
    joint = np.bincount(gold * classes + predicted, minlength=classes**2).reshape(classes, classes)
    joint = joint / np.maximum(1, joint.sum(axis=1, keepdims=True)) * np.asarray(prior)[:, None]
    total = joint.sum(axis=0) + joint.sum(axis=1)
    hits = 2 * np.diag(joint)
    return float(np.mean(np.divide(hits, total, out=np.zeros(classes), where=total > 0)))


def classification_scores(
    truth: Sequence[str], predicted: Sequence[str], labels: Sequence[str]
) -> dict[str, float]:
    """Score predictions over a whole split by macro-F1 and accuracy."""
    return {"macro_f1": macro_f1(truth, predicted, labels), "accuracy": accuracy(truth, predicted)}


def rating_scores(truth: Sequence[int], predicted: Sequence[int], labels: Sequence[int]) -> dict[str, float]:
    """Score predictions of ordered labels over a whole split by weighted F1 and mean absolute error."""
    return {
        "weighted_f1": weighted_f1(truth, predicted),
        "mae": mean_absolute_error(truth, predicted, labels),
    }


def _pair(gold: Sequence | np.ndarray, predicted: Sequence | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both as arrays, which must have the same non-zero length."""
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    if gold.shape != predicted.shape or not len(gold):
        raise ValueError(f"{len(gold)} gold labels but {len(predicted)} predictions")
    return gold, predicted
