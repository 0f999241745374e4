"""Parallel sentences before an encoder: token ids, the places of words among them, batches of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from xstitch.core.progress import progress
from xstitch.encoders.contexts import subword_tokens
from xstitch.encoders.wordpiece import blocks
from xstitch.training.batches import BatchStream, Ragged

BLOCK = 10_000  # sentences tokenised at once


@dataclass(frozen=True)
class Side:
    """Sentences of one language: token ids, specials included, and where their units stand.

    A word stands at its last subword; `words` has its number in the sentence.
    """

    ids: Ragged
    places: Ragged
    words: Ragged
    padding: int

    def select(self, kept: np.ndarray) -> Side:
        """The sentences that a boolean array marks."""
        return Side(*(_selected(part, kept) for part in (self.ids, self.places, self.words)), self.padding)

    def take(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Inputs of some sentences, places of units, and weights that are 0 where places are padding."""
        ids, attention = self.ids.padded(rows, self.padding)
        places, real = self.places.padded(rows, 0)
        weights = (real / real.sum(axis=1, keepdims=True)).astype(np.float32)
        return {"input_ids": ids, "attention_mask": attention, "places": places, "weights": weights}


@dataclass(frozen=True)
class Bitext:
    """Pairs of sentences, row by row."""

    source: Side
    target: Side

    def __len__(self) -> int:
        return len(self.source.ids)

    def collate(self, rows: np.ndarray) -> dict[str, dict[str, torch.Tensor]]:
        """Both sides of some pairs."""
        sides = {"source": self.source.take(rows), "target": self.target.take(rows)}
        return {name: {k: torch.from_numpy(v) for k, v in side.items()} for name, side in sides.items()}


def read_bitext(
    source: Sequence[str], target: Sequence[str], tokenizer: Any, max_length: int, units: str
) -> tuple[Bitext, np.ndarray]:
    """Tokenise pairs of sentences with words between spaces; return them and whether each was kept.

    A sentence of which the encoder sees no unit takes its pair with it.
    """
    sides = [_read_side(texts, tokenizer, max_length, units) for texts in (source, target)]
    kept = np.all([side.places.lengths > 0 for side in sides], axis=0)
    return Bitext(*(side.select(kept) for side in sides)), kept


def join_bitexts(parts: Sequence[Bitext]) -> Bitext:
    """Put the pairs of several languages one after the other."""
    sides = []
    for name in ("source", "target"):
        own = [getattr(part, name) for part in parts]
        ragged = (Ragged.join([getattr(side, field) for side in own]) for field in ("ids", "places", "words"))
        sides.append(Side(*ragged, own[0].padding))
    return Bitext(*sides)


def _read_side(texts: Sequence[str], tokenizer: Any, max_length: int, units: str) -> Side:
    backend = tokenizer.backend_tokenizer
    backend.enable_truncation(max_length)
    ids, places, words = [], [], []
    for block in progress(blocks(texts, BLOCK), "tokenising pairs", unit="block"):
        encoded = backend.encode_batch(block)
        own = Ragged.from_lists([entry.ids for entry in encoded])
        numbers, _ = subword_tokens(block, encoded)
        chosen = _unit_ends(numbers, units)
        firsts = np.concatenate([[0], np.cumsum([len(text.split()) for text in block])[:-1]])
        sentences = np.repeat(np.arange(len(block)), own.lengths)[chosen]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(sentences, minlength=len(block)))])
        ids.append(own)
        places.append(Ragged(chosen - own.offsets[sentences], offsets))
        words.append(Ragged(numbers[chosen] - firsts[sentences], offsets))
    backend.no_truncation()
    return Side(Ragged.join(ids), Ragged.join(places), Ragged.join(words), tokenizer.pad_token_id or 0)


def _unit_ends(numbers: np.ndarray, units: str) -> np.ndarray:
    """Flat positions of all subwords, or of each word's last one; `numbers` has -1 for special tokens."""
    if units == "subwords":
        return np.flatnonzero(numbers >= 0)
    following = np.append(numbers[1:], -1)
    return np.flatnonzero((numbers >= 0) & (numbers != following))


def _selected(ragged: Ragged, kept: np.ndarray) -> Ragged:
    """The rows of packed sequences that a boolean array marks."""
    offsets = np.concatenate([[0], np.cumsum(ragged.lengths[kept])])
    return Ragged(ragged.values[np.repeat(kept, ragged.lengths)], offsets)


def pairs_stream(
    parts: Sequence[Bitext],
    pairs: int,
    batch_size: int,
    seed: int,
    bucketed: bool = True,
    collate: Callable[[np.ndarray], Any] | None = None,
) -> BatchStream:
    """Batches of sentence pairs, `pairs` of each part an epoch: where there are fewer, they come again.

    Bucketed by length, a batch of several parts would be mostly of the part with longer words.
    """
    joined = join_bitexts(parts)
    starts = np.cumsum([0, *(len(part) for part in parts)])
    lengths = joined.source.ids.lengths + joined.target.ids.lengths

    def select(epoch: int) -> np.ndarray:
        random = np.random.default_rng((seed, epoch, 3))
        chosen = (_repeated(len(part), pairs, random) for part in parts)
        return np.concatenate([start + rows for start, rows in zip(starts, chosen, strict=False)])

    lengths = lengths if bucketed else np.ones(len(joined))
    return BatchStream(lengths, batch_size, seed, collate or joined.collate, select)


def _repeated(number: int, wanted: int, random: np.random.Generator) -> np.ndarray:
    """So many of some rows: all of them again and again, the last time a part drawn at random."""
    whole, rest = divmod(wanted, number)
    return np.concatenate([*[np.arange(number)] * whole, random.permutation(number)[:rest]])


def unit_states(model: nn.Module, side: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """Last hidden states of the units of sentences (sentences x units x width)."""
    output = model(input_ids=side["input_ids"], attention_mask=side["attention_mask"])
    states = output.last_hidden_state
    places = side["places"][:, :, None].expand(-1, -1, states.shape[2])
    return states.gather(1, places)
