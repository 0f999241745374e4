"""Answer scores as in SQuAD v1.1, in percent; its English rules apply to every language."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)


class AnswerScores(NamedTuple):
    """The share of answers that match exactly, and the mean F1 of their words."""

    exact_match: float
    f1: float


def answer_scores(gold: Sequence[Sequence[str]], predicted: Sequence[str]) -> AnswerScores:
    """Score one answer per question, empty if there is none, by the best of the question's true answers."""
    if len(gold) != len(predicted) or not gold or not all(gold):
        raise ValueError(f"{len(gold)} questions with true answers, but {len(predicted)} predictions")
    pairs = list(zip(gold, predicted, strict=True))
    exact = sum(max(normalise(true) == normalise(answer) for true in truths) for truths, answer in pairs)
    overlap = sum(max(word_f1(true, answer) for true in truths) for truths, answer in pairs)
    return AnswerScores(100.0 * exact / len(pairs), 100.0 * overlap / len(pairs))


def normalise(text: str) -> str:
    """Drop case, ASCII punctuation, English articles and extra white space, in this order."""
    return " ".join(ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split())


def word_f1(true: str, answer: str) -> float:
    """Return the F1 of the answer's words; a repeated word counts as often as both have it."""
    expected, given = normalise(true).split(), normalise(answer).split()
    shared = sum((Counter(expected) & Counter(given)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(given), shared / len(expected)
    return 2 * precision * recall / (precision + recall)
