"""Parallel sentences as encoder inputs: token ids, the positions of words among them, batches of pairs."""

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
    """Sentences of one language: token ids, specials included, and the positions of their units.

    A word's position is that of its last subword, its start that of its first; `words` has its number in the
    sentence. Special tokens, where they are units, have the numbers before the first word and after the last.
    """

    ids: Ragged
    positions: Ragged
    starts: Ragged
    words: Ragged
    padding: int

    def select(self, kept: np.ndarray) -> Side:
        """Select the sentences that a boolean array marks."""
        parts = (self.ids, self.positions, self.starts, self.words)
        return Side(*(_selected(part, kept) for part in parts), self.padding)

    def take(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return inputs of some sentences, positions of their units, and weights, which are 0 for padding."""
        ids, attention = self.ids.padded(rows, self.padding)
        positions, real = self.positions.padded(rows, 0)
        starts, _ = self.starts.padded(rows, 0)
        weights = (real / real.sum(axis=1, keepdims=True)).astype(np.float32)
        units = {"positions": positions, "starts": starts, "weights": weights}
        return {"input_ids": ids, "attention_mask": attention, **units}


@dataclass(frozen=True)
class Bitext:
    """Pairs of sentences, row by row."""

    source: Side
    target: Side

    def __len__(self) -> int:
        return len(self.source.ids)

    def collate(self, rows: np.ndarray) -> dict[str, dict[str, torch.Tensor]]:
        """Return both sides of some pairs."""
        sides = {"source": self.source.take(rows), "target": self.target.take(rows)}
        return {name: {k: torch.from_numpy(v) for k, v in side.items()} for name, side in sides.items()}


def read_bitext(
    source: Sequence[str],
    target: Sequence[str],
    tokenizer: Any,
    max_length: int,
    units: str,
    specials: bool = False,
) -> tuple[Bitext, np.ndarray]:
    """Tokenise pairs of sentences with words between spaces; return them and whether each was kept.

    A pair is dropped if the encoder sees no word of one of its sentences.
    """
    sides = [_read_side(texts, tokenizer, max_length, units, specials) for texts in (source, target)]
    least = tokenizer.num_special_tokens_to_add() if specials else 0
    kept = np.all([side.positions.lengths > least for side in sides], axis=0)
    return Bitext(*(side.select(kept) for side in sides)), kept


def _read_side(texts: Sequence[str], tokenizer: Any, max_length: int, units: str, specials: bool) -> Side:
    backend = tokenizer.backend_tokenizer
    backend.enable_truncation(max_length)
    read = [
        _read_block(block, backend.encode_batch(block), units, specials)
        for block in progress(blocks(texts, BLOCK), "tokenising pairs", unit="block")
    ]
    backend.no_truncation()
    return Side(*(Ragged.join(parts) for parts in zip(*read, strict=True)), tokenizer.pad_token_id or 0)


def _read_block(
    texts: list[str], encoded: list[Any], units: str, specials: bool
) -> tuple[Ragged, Ragged, Ragged, Ragged]:
    """Return ids, positions and starts of units and their words' numbers."""
    ids = Ragged.from_lists([entry.ids for entry in encoded])
    numbers, _ = subword_tokens(texts, encoded)
    chosen, firsts = _unit_ends(numbers, units), _unit_starts(numbers, units)
    if specials:
        chosen, firsts = (np.union1d(places, np.flatnonzero(numbers < 0)) for places in (chosen, firsts))
    sentences = np.repeat(np.arange(len(texts)), ids.lengths)[chosen]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(sentences, minlength=len(texts)))])
    positions = chosen - ids.offsets[sentences]
    lengths = np.array([len(text.split()) for text in texts])
    in_sentence = numbers[chosen] - (np.cumsum(lengths) - lengths)[sentences]
    around = np.where(positions == 0, -1, lengths[sentences])  # the numbers of special tokens
    words = np.where(numbers[chosen] < 0, around, in_sentence)
    starts = firsts - ids.offsets[sentences]
    return ids, Ragged(positions, offsets), Ragged(starts, offsets), Ragged(words, offsets)


def _unit_ends(numbers: np.ndarray, units: str) -> np.ndarray:
    """Find the flat positions of all subwords, or of each word's last; `numbers` is -1 for special tokens."""
    if units == "subwords":
        return np.flatnonzero(numbers >= 0)
    following = np.append(numbers[1:], -1)
    return np.flatnonzero((numbers >= 0) & (numbers != following))


def _unit_starts(numbers: np.ndarray, units: str) -> np.ndarray:
    """Find the flat positions of all subwords, or of each word's first."""
    if units == "subwords":
        return np.flatnonzero(numbers >= 0)
    before = np.append(-1, numbers[:-1])
    return np.flatnonzero((numbers >= 0) & (numbers != before))


def _selected(ragged: Ragged, kept: np.ndarray) -> Ragged:
    """Select the rows of packed sequences that a boolean array marks."""
    offsets = np.concatenate([[0], np.cumsum(ragged.lengths[kept])])
    return Ragged(ragged.values[np.repeat(kept, ragged.lengths)], offsets)


def pairs_stream(
    bitext: Bitext,
    pairs: int,
    batch_size: int,
    seed: int,
    bucketed: bool = True,
    collate: Callable[[np.ndarray], Any] | None = None,
) -> BatchStream:
    """Stream batches with `pairs` sentence pairs per epoch; they repeat if there are fewer.

    Bucketed, the sentences of a batch have similar lengths.
    """

    def select(epoch: int) -> np.ndarray:
        return _repeated(len(bitext), pairs, np.random.default_rng((seed, epoch, 3)))

    lengths = bitext.source.ids.lengths + bitext.target.ids.lengths
    lengths = lengths if bucketed else np.ones(len(bitext))
    return BatchStream(lengths, batch_size, seed, collate or bitext.collate, select)


class SideBySide:
    """Streams of equally many batches as one: the next batch is the next one of each, by name."""

    def __init__(self, streams: Mapping[str, BatchStream]) -> None:
        self.streams = streams

    def __len__(self) -> int:
        return len(self._first())

    def __next__(self) -> dict[str, Any]:
        return {name: next(stream) for name, stream in self.streams.items()}

    def position(self) -> dict[str, int]:
        """Return the position in the streams, which is the same in all."""
        return self._first().position()

    def restore(self, position: dict[str, int]) -> None:
        """Go back or forward to what `position` returned."""
        for stream in self.streams.values():
            stream.restore(position)

    def _first(self) -> BatchStream:
        return next(iter(self.streams.values()))


def _repeated(number: int, wanted: int, random: np.random.Generator) -> np.ndarray:
    """Choose `wanted` of some rows: all of them as often as they fit, then a random part."""
    whole, rest = divmod(wanted, number)
    return np.concatenate([*[np.arange(number)] * whole, random.permutation(number)[:rest]])


def unit_states(
    model: nn.Module, side: Mapping[str, torch.Tensor], subword: str = "last", layer: int | None = None
) -> torch.Tensor:
    """Return the hidden states of the units of sentences (sentences x units x width).

    A word's state is that of its last or first subword, or the mean over all of them. `layer` is None for the
    last one.
    """
    states = _layer_states(model, side, layer)
    if subword == "mean":
        # Sums up to every position: the sum over a word is the difference between two of them.
        sums = nn.functional.pad(states.float().cumsum(dim=1), (0, 0, 1, 0))
        totals = _states_at(sums, side["positions"] + 1) - _states_at(sums, side["starts"])
        return totals / (side["positions"] - side["starts"] + 1)[:, :, None]
    return _states_at(states, side["starts" if subword == "first" else "positions"])


def _layer_states(model: nn.Module, side: Mapping[str, torch.Tensor], layer: int | None) -> torch.Tensor:
    inputs = {name: side[name] for name in ("input_ids", "attention_mask")}
    if layer is None:
        return model(**inputs).last_hidden_state
    return model(**inputs, output_hidden_states=True).hidden_states[layer]


def _states_at(states: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    return states.gather(1, positions[:, :, None].expand(-1, -1, states.shape[2]))
