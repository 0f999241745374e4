"""How an encoder's languages are aligned with parallel sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count, NotNegative, Positive
from xstitch.training.schedule import Schedule

BLUR = 0.05


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
    problem: Literal["sentence", "batch", "together"] = "sentence"
    """What one transport problem consists of: a sentence pair, a batch, or a batch of all languages."""
    pairs: Count = 250_000
    """Sentence pairs per language and epoch; they repeat if there are fewer."""
    blur: Positive = BLUR
    """Smoothing of the transport, as a distance."""
    anchoring: NotNegative = 1.0
    """Weight of the loss that keeps the source language in place."""
    max_length: Count = 128
    """In tokens."""
