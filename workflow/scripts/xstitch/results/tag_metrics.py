"""Scores of tagged sentences: for spans, as seqeval finds them, and for single tokens."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from seqeval.metrics.sequence_labeling import get_entities, precision_recall_fscore_support

from xstitch.results.metrics import accuracy

Tags = Sequence[Sequence[str]]


class TaggingScores(NamedTuple):
    """Precision, recall and F1 of spans over the whole corpus, and the share of correct tokens.

    Numbers in percent, or arrays with the fractions of many resamples.
    """

    precision: float
    recall: float
    f1: float
    accuracy: float


def tagging_scores(gold: Tags, predicted: Tags) -> TaggingScores:
    """Score predicted tags against true ones; sentences must have the same lengths.

    Without any span the scores are 0. Tags without B- and I-, such as parts of speech, get the spans that
    XTREME's published scores count: neighbours with the same tag are one span, and CCONJ equals SCONJ because
    seqeval takes the first letter as a prefix. The share of correct tokens has no such quirks.
    """
    if [len(tags) for tags in gold] != [len(tags) for tags in predicted]:
        raise ValueError("gold and predicted tags differ in the number or lengths of sentences")
    sides = [[list(tags) for tags in side] for side in (gold, predicted)]  # seqeval requires lists
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # seqeval warns of every tag that is not of a name
        spans = precision_recall_fscore_support(*sides, average="micro", zero_division=0)
    tokens = ([tag for tags in side for tag in tags] for side in sides)
    return TaggingScores(*(100 * float(score) for score in (*spans[:3], accuracy(*tokens))))


def resampled_tagging_scores(gold: Tags, predicted: Tags, weights: np.ndarray) -> TaggingScores:
    """Score every resample of the sentences, in which each occurs as often as a row of weights says."""
    counts = np.array([_counted(*sides) for sides in zip(gold, predicted, strict=True)], dtype=weights.dtype)
    right_spans, found, true, right_tokens, tokens = (weights @ counts).astype(float).T
    return TaggingScores(
        _share(right_spans, found),
        _share(right_spans, true),
        _share(2 * right_spans, found + true),
        _share(right_tokens, tokens),
    )


def _counted(gold: Sequence[str], predicted: Sequence[str]) -> tuple[int, ...]:
    """Count what the scores of a sentence consist of: right, found and true spans, right and all tokens."""
    true, found = _spans(gold), _spans(predicted)
    right = sum(one == other for one, other in zip(gold, predicted, strict=True))
    return len(true & found), len(found), len(true), right, len(gold)


def _spans(tags: Sequence[str]) -> set[tuple[str, int, int]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # seqeval warns of every tag that is not of a name
        return set(get_entities(list(tags)))


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
