"""The k best keys of many queries, in tiles of their product; by numpy alone, for jobs that load no torch.

`xstitch.spaces.neighbours` searches among tensors, on a GPU if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from xstitch.spaces.best import Best, Top

TILE_COLUMNS = 6_144
TILE_SCORES = 2**21  # 8 MB: of larger tiles, little would be left in cache when they are compared


class ArrayProducts:
    """Products of tiles in one buffer: fresh memory for each would cost as much as the arithmetic."""

    def __init__(self, like: np.ndarray) -> None:
        self.buffer = np.empty(0, dtype=like.dtype)

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Multiply; the result is valid until the next call."""
        size = len(rows) * len(columns)
        if size > len(self.buffer):
            self.buffer = np.empty(size, dtype=self.buffer.dtype)
        return np.matmul(rows, columns.T, out=self.buffer[:size].reshape(len(rows), len(columns)))


class Search:
    """Finds the k best keys of blocks of queries: arrays, or whatever its two helpers are for."""

    def __init__(
        self,
        keys: Any,
        k: int,
        products: Callable[[Any], Any] = ArrayProducts,
        best_of: Callable[[int, int, Any], Any] = Best,
    ) -> None:
        self.keys, self.k = keys, k
        self.products, self.best_of = products(keys), best_of

    def blocks(self, queries: int) -> list[slice]:
        """Cut so many queries into blocks."""
        return blocks_of(queries, len(self.keys))

    def __call__(self, queries: Any) -> Top:
        """Find each query's k best keys, in one sweep over all keys."""
        best = self.best_of(len(queries), self.k, self.keys)
        for part in parts_of(len(self.keys)):
            best.offer(self.products(queries, self.keys[part]))
        return best.top()


def parts_of(length: int) -> list[slice]:
    """Cut columns into parts of nearly equal width."""
    number = max(1, -(-length // TILE_COLUMNS))
    return list(slices(length, max(1, -(-length // number))))


def blocks_of(length: int, columns: int) -> list[slice]:
    """Cut rows into blocks that make tiles of bounded size with the columns' parts."""
    return list(slices(length, max(1, TILE_SCORES // max(1, min(columns, TILE_COLUMNS)))))


def slices(length: int, size: int) -> Iterator[slice]:
    """Cut a range into blocks."""
    return (slice(start, min(start + size, length)) for start in range(0, length, size))
