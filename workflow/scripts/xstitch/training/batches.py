"""Batches of examples in a reproducible order: of similar length, with little padding, or at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xstitch.training.schedule import Grouping, Schedule

POOL = 32  # batches sorted by length together: little padding, yet batches differ between epochs


def bucketed_batches(
    lengths: Sequence[int] | np.ndarray, batch_size: int, seed: int, epoch: int, shuffle: bool = True
) -> list[np.ndarray]:
    """Split examples into batches of similar length, each example once, in an order set by seed and epoch.

    Without `shuffle` (evaluation) all examples are sorted by length, ties in their original order.
    """
    lengths = np.asarray(lengths)
    if not shuffle:
        return _split(np.argsort(lengths, kind="stable"), batch_size)
    random = np.random.default_rng((seed, epoch))
    batches = []
    for pool in _split(random.permutation(len(lengths)), POOL * batch_size):
        batches += _split(pool[np.argsort(lengths[pool], kind="stable")], batch_size)
    return [batches[i] for i in random.permutation(len(batches))]


def budgeted_batches(lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Split examples, sorted by length, into batches of at most `tokens` tokens, padding included.

    An example that is longer than that has a batch of its own.
    """
    order = np.argsort(lengths, kind="stable")
    batches, start = [], 0
    while start < len(order):
        sizes = np.arange(1, len(order) - start + 1) * lengths[order[start:]]  # of every batch from here on
        number = max(1, int(np.searchsorted(sizes, tokens, side="right")))
        batches.append(order[start : start + number])
        start += number
    return batches


def grouped_batches(
    grouping: Grouping, lengths: np.ndarray, batch_size: int, seed: int, epoch: int
) -> list[np.ndarray]:
    """Split examples into batches, each example once; of random batches only the last may be smaller."""
    if grouping == "by-length":
        return bucketed_batches(lengths, batch_size, seed, epoch)
    return _split(np.random.default_rng((seed, epoch)).permutation(len(lengths)), batch_size)


def _split(order: np.ndarray, size: int) -> list[np.ndarray]:
    """Cut an array into pieces of `size`; the last one may be shorter."""
    return [order[start : start + size] for start in range(0, len(order), size)]


class Ragged:
    """Many sequences of ids as one flat array and offsets: no Python list per sentence."""

    def __init__(self, values: np.ndarray, offsets: np.ndarray) -> None:
        self.values, self.offsets = values, offsets
        self.lengths = np.diff(offsets)

    @classmethod
    def from_lists(cls, sequences: Sequence[Sequence[int]]) -> Ragged:
        """Pack lists of ids."""
        offsets = np.zeros(len(sequences) + 1, dtype=np.int64)
        np.cumsum([len(sequence) for sequence in sequences], out=offsets[1:])
        flat = (value for sequence in sequences for value in sequence)
        return cls(np.fromiter(flat, dtype=np.int32, count=int(offsets[-1])), offsets)

    @classmethod
    def join(cls, parts: Sequence[Ragged]) -> Ragged:
        """Put packed blocks one after the other."""
        lengths = np.concatenate([np.zeros(1, dtype=np.int64), *(part.lengths for part in parts)])
        return cls(np.concatenate([part.values for part in parts]), np.cumsum(lengths))

    def __len__(self) -> int:
        return len(self.lengths)

    def padded(self, rows: np.ndarray, padding: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the given rows as one int64 matrix, as wide as the longest of them, and its 0/1 mask."""
        lengths = self.lengths[rows]
        columns = np.arange(lengths.max())
        mask = columns < lengths[:, None]
        ids = np.full(mask.shape, padding, dtype=np.int64)
        ids[mask] = self.values[(self.offsets[rows][:, None] + columns)[mask]]
        return ids, mask.astype(np.int64)


class BatchStream:
    """An endless stream of batches whose position (epoch, index in it) can be saved and restored.

    `collate` turns an array of example numbers into a batch. `select` chooses the examples of an epoch
    (all of them if absent), so that parts of the data can be sampled out of proportion to their sizes.
    `grouping` says which examples share a batch.
    """

    def __init__(
        self,
        lengths: Sequence[int] | np.ndarray,
        batch_size: int,
        seed: int,
        collate: Callable[[np.ndarray], Any],
        select: Callable[[int], np.ndarray] | None = None,
        grouping: Grouping = "by-length",
    ) -> None:
        self.lengths = np.asarray(lengths)
        self.batch_size, self.seed, self.grouping = batch_size, seed, grouping
        self.collate, self.select = collate, select
        self._start(epoch=0, index=0)

    def _start(self, epoch: int, index: int) -> None:
        """Go to a position; the batches of its epoch depend only on the seed."""
        chosen = self.select(epoch) if self.select else np.arange(len(self.lengths))
        lengths = self.lengths[chosen]
        batches = grouped_batches(self.grouping, lengths, self.batch_size, self.seed, epoch)
        self.batches = [chosen[batch] for batch in batches]
        self.epoch, self.index = epoch, index

    def __len__(self) -> int:
        """Return the number of batches in an epoch."""
        return len(self.batches)

    def __iter__(self) -> BatchStream:
        return self

    def __next__(self) -> Any:
        if self.index == len(self.batches):
            self._start(self.epoch + 1, 0)
        batch = self.batches[self.index]
        self.index += 1
        return self.collate(batch)

    def position(self) -> dict[str, int]:
        """Return the position in the stream, as plain data."""
        return {"epoch": self.epoch, "index": self.index}

    def restore(self, position: dict[str, int]) -> None:
        """Go back or forward to what `position` returned."""
        self._start(position["epoch"], position["index"])


def scheduled_batches(
    lengths: Sequence[int] | np.ndarray,
    schedule: Schedule,
    collate: Callable[[np.ndarray], Any],
    select: Callable[[int], np.ndarray] | None = None,
) -> BatchStream:
    """Stream the batches of a training as its schedule says."""
    return BatchStream(lengths, schedule.batch_size, schedule.seed, collate, select, schedule.batches)
