"""How static vectors are made from a contextual encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count, Positive


@dataclass(frozen=True)
class DistillSettings:
    """How static vectors are made from an encoder; the keys of these vectors in the configuration."""

    method: Literal["x2static", "aggregation"] = "x2static"
    layer: Count = 6
    """Layer of the encoder whose hidden states are used."""
    context: Literal["sentence", "paragraph"] = "sentence"
    """Context of a word: its sentence, or the mean over the sentences of its paragraph."""
    min_count: Count = 10
    """Rarer words get no vector."""
    max_words: Count = 750_000
    """Only the most frequent words get vectors."""
    max_subwords: Count = 200
    """Per sentence; fewer if the encoder takes fewer."""
    lowercase: bool = False
    """Lower-case what the encoder reads; words are always lower-cased."""
    threshold: Positive = 5e-6
    """Threshold for dropping frequent words."""
    negatives: Count = 10
    learning_rate: Positive = 1e-3
    batch_size: Count = 128
    """Sentences per update."""
    epochs: Count = 1
    encoder_batch: Count = 64
    """Sentences encoded at once."""
    max_contexts: Count | None = None
    """Per word, drawn at random; only for method aggregation; null: all."""
