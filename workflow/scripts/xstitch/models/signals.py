"""What speaks for a model in a language that has no labels, and the choice that follows from it.

The candidate wins whose answers say most about the texts of the language. That rule was picked in three draws
of the mini world and confirmed on other draws and on real languages (docs/results/recommend.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from xstitch.core.errors import InputError
from xstitch.encoders.folders import load_tokenizer
from xstitch.models.classification import predict_labels
from xstitch.results.metrics import macro_f1

DECIMALS = 6  # in files; what differs less is a tie


class Texts(NamedTuple):
    """What candidates are tried on: texts of the target, and labelled ones of the source in its words."""

    own: Sequence[str]
    translated: Sequence[str]
    labels: Sequence[str]  # of the translated texts


@dataclass(frozen=True)
class Signals:
    """What was measured of a candidate without labels in its language; all between 0 and 1."""

    agreement: float  # share of texts that the other candidates together answer in the same way
    dictionary: float  # macro-F1 on source texts that a dictionary wrote in the target's words
    coverage: float  # share of the texts' tokens that the model knows
    confidence: float  # mean probability of its answers
    information: float  # what its answers say of a text, out of all that labels could


def measure_candidates(
    models: Mapping[str, Path], texts: Texts, labels: Sequence[str], max_length: int
) -> dict[str, Signals]:
    """Measure the signals of every candidate's model."""
    if not texts.own or not texts.translated:
        raise InputError("a choice without labels needs texts of the target and labelled ones of the source")
    answers = {
        name: predict_labels(folder, texts.own, max_length).probabilities for name, folder in models.items()
    }
    agreed = dict(zip(answers, agreements(list(answers.values())), strict=True))
    signals = {}
    for name, folder in models.items():
        predicted = predict_labels(folder, texts.translated, max_length).labels
        signals[name] = Signals(
            agreed[name],
            macro_f1(texts.labels, predicted, labels),
            coverage(load_tokenizer(folder), texts.own),
            float(answers[name].max(axis=1).mean()),
            information(answers[name]),
        )
    return signals


def choose(signals: Mapping[str, Signals]) -> str:
    """The candidate whose answers have the most information; of equal ones the first."""
    return max(signals, key=lambda name: round(signals[name].information, DECIMALS))


def agreements(probabilities: Sequence[np.ndarray]) -> list[float]:
    """How often each candidate answers as the others do together, by the mean of their probabilities."""
    if len(probabilities) < 2:
        raise InputError("agreement needs two candidates at least; allow more")
    total = np.sum(probabilities, axis=0)
    return [float(np.mean(own.argmax(axis=1) == (total - own).argmax(axis=1))) for own in probabilities]


def information(probabilities: np.ndarray) -> float:
    """The mutual information of texts and answers, out of the logarithm of the number of labels.

    It is 0 if all texts get the same answer, however sure, and 1 if answers are certain and all labels
    equally frequent.
    """
    return float(_entropy(probabilities.mean(axis=0)) - _entropy(probabilities).mean()) / float(
        np.log(probabilities.shape[1])
    )


def _entropy(probabilities: np.ndarray) -> np.ndarray:
    safe = np.where(probabilities > 0, probabilities, 1.0)  # 0 log 0 is 0
    return -(probabilities * np.log(safe)).sum(axis=-1)


def coverage(tokenizer: Any, texts: Sequence[str]) -> float:
    """The share of tokens that are not the unknown one."""
    ids = [token for text in texts for token in tokenizer(text, add_special_tokens=False)["input_ids"]]
    return 1 - ids.count(tokenizer.unk_token_id) / len(ids) if ids else 0.0
