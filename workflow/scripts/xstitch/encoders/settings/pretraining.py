"""How encoders are pre-trained."""

from __future__ import annotations

from dataclasses import dataclass

from xstitch.core.settings import Count, CountFrom0, Share
from xstitch.training.schedule import Schedule


@dataclass(frozen=True)
class MaskedModelling:
    """Masked language modelling on corpora of several languages; keys of an encoder in the configuration."""

    training: Schedule
    max_length: Count = 128
    """In tokens."""
    blocks: bool = False
    """Cut a language's text into blocks of max_length tokens, across sentences; the remainder is dropped."""
    masked: Share = 0.15
    """Share of tokens to be predicted."""
    language_exponent: Share = 0.7
    """Languages are sampled by (share of sentences) ** exponent."""
    held_out: Count = 500
    """Sentences per language for the validation loss, at most a tenth of its corpus."""


@dataclass(frozen=True)
class EncoderSettings(MaskedModelling):
    """Shape and training of a small BERT; the keys of an encoder in the configuration."""

    vocabulary_size: Count = 4000
    lowercase: bool = False
    layers: Count = 2
    width: Count = 64
    heads: Count = 2
    dropout: Share = 0.0
    """On hidden states."""
    skipgram_epochs: CountFrom0 = 5
    """Epochs of the vectors that embeddings start from; 0: start from random embeddings."""
    skipgram_window: Count = 5
