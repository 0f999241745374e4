"""How static vectors are made from a contextual encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count, Positive


@dataclass(frozen=True)
class DistillSettings:
    """How static vectors are made from an encoder; the keys of such vectors in the configuration."""

    method: Literal["x2static", "aggregation"] = "x2static"
    layer: Count = 6
    """Of the encoder, whose hidden states count."""
    context: Literal["sentence", "paragraph"] = "sentence"
    """Of a word: its sentence, or the mean over the sentences of the paragraph."""
    min_count: Count = 10
    """Rarer words have no vector."""
    max_words: Count = 750_000
    """The most frequent."""
    max_subwords: Count = 200
    """Of a sentence; less if the encoder takes less."""
    lowercase: bool = False
    """What the encoder reads; words are lower-cased in any case."""
    threshold: Positive = 5e-6
    """Frequent words are dropped by it."""
    negatives: Count = 10
    learning_rate: Positive = 1e-3
    batch_size: Count = 128
    """Sentences to an update."""
    epochs: Count = 1
    encoder_batch: Count = 64
    """Sentences encoded at once."""
    max_contexts: Count | None = None
    """Of a word, drawn at random, for method aggregation; null: all."""
