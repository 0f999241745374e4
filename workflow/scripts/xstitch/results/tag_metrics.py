"""Scores of tagged sentences, in percent: for spans, as seqeval finds them, and for single tokens."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

from xstitch.results.metrics import accuracy

Tags = Sequence[Sequence[str]]


class TaggingScores(NamedTuple):
    """Precision, recall and F1 of spans over the whole corpus, and the share of correct tokens."""

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
