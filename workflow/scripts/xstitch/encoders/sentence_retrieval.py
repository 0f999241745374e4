"""Sentence retrieval as in Tatoeba: the nearest sentence by the cosine of one layer's mean hidden states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.encoders.contexts import SHARD, Contexts, CutEncoder, Subwords, load_encoder
from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.results.metrics import accuracy
from xstitch.sources.tasks.tatoeba import Translation
from xstitch.spaces.neighbours import nearest, to_device, unit
from xstitch.training.batches import Ragged


@dataclass(frozen=True)
class SentenceEncoder:
    """An encoder cut above the wanted layer, its tokenizer, and how many tokens it takes."""

    encoder: CutEncoder
    tokenizer: Any
    max_length: int

    @classmethod
    def load(cls, folder: Path, layer: int, max_length: int) -> SentenceEncoder:
        """Load an encoder folder, cut above a layer."""
        return cls(load_encoder(folder, layer), load_fast_tokenizer(folder, max_length), max_length)

    def vectors(self, sentences: Sequence[str], batch_size: int = 64) -> np.ndarray:
        """Average the hidden states of each sentence's subwords, specials included."""
        encoded = self.tokenizer(
            list(sentences), truncation=True, max_length=self.max_length, return_attention_mask=False
        )
        ids = Ragged.from_lists(encoded["input_ids"])
        shards = np.split(np.arange(len(ids)), range(SHARD, len(ids), SHARD))
        subwords = Subwords(ids, self.tokenizer.pad_token_id or 0)
        contexts = Contexts(self.encoder, subwords, shards, batch_size)
        return np.concatenate(
            [contexts.shard(number) for number in progress(range(len(shards)), "sentences", unit="shard")]
        )


def nearest_sentences(queries: np.ndarray, sentences: np.ndarray) -> np.ndarray:
    """Find the number of the sentence with the highest cosine for each query."""
    return nearest(unit(to_device(queries)), unit(to_device(sentences)), 1).indices[:, 0].cpu().numpy()


def retrieval_accuracy(encoder: SentenceEncoder, pairs: Sequence[Translation], batch_size: int = 64) -> float:
    """Search for each translation with its English sentence; return the percentage found."""
    if not pairs:
        raise InputError("sentence retrieval: no pairs of sentences")
    english = encoder.vectors([pair.english for pair in pairs], batch_size)
    foreign = encoder.vectors([pair.sentence for pair in pairs], batch_size)
    return 100 * accuracy(np.arange(len(pairs)), nearest_sentences(english, foreign))
