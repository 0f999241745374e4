"""How an encoder's languages are aligned with parallel sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count, NotNegative, Positive
from xstitch.training.schedule import Schedule

BLUR = 0.05
Cost = Literal["squared", "euclidean"]


@dataclass(frozen=True)
class WordotSettings:
    """Keys of an aligned encoder in the configuration; `training.batch_size` counts pairs per language."""

    training: Schedule
    loss: Literal["transport", "l2"] = "transport"
    units: Literal["words", "subwords"] = "words"
    """What is transported: words, or subwords."""
    subword: Literal["last", "first", "mean"] = "last"
    """Which of its subwords' states stands for a word."""
    layer: Count | None = None
    """The layer whose states are transported; null: the last."""
    problem: Literal["sentence", "batch", "together"] = "batch"
    """What one transport problem consists of: a sentence pair, a batch, or the batches of all languages."""
    pairs: Count = 250_000
    """Sentence pairs per language and epoch; they repeat if there are fewer."""
    cost: Cost = "squared"
    """Of moving a word: half the squared distance, with eps = blur^2, or the distance, with eps = blur."""
    blur: Positive = BLUR
    """Smoothing of the transport, as a distance."""
    anchoring: NotNegative = 1.0
    """Weight of the loss that keeps the source language in place."""
    drift: Literal["sum", "mean"] = "sum"
    """That loss: squared distances summed over a problem's words, or their mean over words and dimensions."""
    max_length: Count = 128
    """In tokens."""
    max_words: Count | None = None
    """Pairs in which a sentence has more words are left out."""
