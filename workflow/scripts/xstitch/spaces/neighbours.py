"""Nearest neighbours between two sets of vectors, in tiles of their product.

Scores are dot products: pass unit rows for cosines. Whatever looks for the nearest rows of another space does
it here: relative maps, CSLS, anchors, translations of words and of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
import torch

from xstitch.core.progress import progress
from xstitch.spaces.best import Top, best_of

TILE_COLUMNS = 12_288
TILE_SCORES = 2**23  # 32 MB: of larger tiles, little would be left in cache when they are compared
LONG = 10**11  # multiplications, about a second's work; twenty times as many get a progress bar
Block = TypeVar("Block")


def to_device(matrix: np.ndarray) -> torch.Tensor:
    """Put a matrix as float32 on the GPU if there is one."""
    rows = torch.from_numpy(np.ascontiguousarray(matrix, dtype=np.float32))
    return rows.to("cuda" if torch.cuda.is_available() else "cpu")


def unit(rows: torch.Tensor) -> torch.Tensor:
    """Scale rows to length one; a zero row stays zero."""
    return torch.nn.functional.normalize(rows, dim=1, eps=torch.finfo(torch.float32).tiny)


class Products:
    """Products of tiles in one buffer: fresh memory for each would cost as much as the arithmetic.

    On the CPU they are numpy's: on AMD's processors 1.2 to 1.5 times as fast as torch's, with kernels that
    are the same on every processor (`xstitch.core.portable`) 2.6 times.
    """

    def __init__(self, like: torch.Tensor) -> None:
        self.buffer = like.new_empty(0)

    def __call__(self, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Multiply; the result is valid until the next call."""
        size = len(rows) * len(columns)
        if size > len(self.buffer):
            self.buffer = rows.new_empty(size)
        out = self.buffer[:size].view(len(rows), len(columns))
        if out.is_cuda:
            return torch.mm(rows, columns.T, out=out)
        np.matmul(rows.numpy(), columns.numpy().T, out=out.numpy())
        return out


class Search:
    """Finds the k best keys of blocks of queries."""

    def __init__(self, keys: torch.Tensor, k: int) -> None:
        self.keys, self.k = keys, k
        self.products = Products(keys)

    def blocks(self, queries: int) -> list[slice]:
        """Cut so many queries into blocks."""
        return _blocks(queries, len(self.keys))

    def __call__(self, queries: torch.Tensor) -> Top:
        """Find each query's k best keys, in one sweep over all keys."""
        best = best_of(len(queries), self.k, self.keys)
        for part in _parts(len(self.keys)):
            best.offer(self.products(queries, self.keys[part]))
        return best.top()


def nearest(queries: torch.Tensor, keys: torch.Tensor, k: int) -> Top:
    """Find each query's k best keys."""
    search = Search(keys, k)
    blocks = with_bar(search.blocks(len(queries)), len(queries), keys)
    return _stack([search(queries[block]) for block in blocks])


def mutual_nearest(rows: torch.Tensor, columns: torch.Tensor, k: int) -> tuple[Top, Top]:
    """Find each row's k best columns and each column's k best rows, from one product."""
    products, parts = Products(rows), _parts(len(columns))
    of_rows, of_columns = [], [best_of(part.stop - part.start, k, columns) for part in parts]
    for block in with_bar(_blocks(len(rows), len(columns)), len(rows), columns):
        best = best_of(block.stop - block.start, k, rows)
        for part, best_rows in zip(parts, of_columns, strict=True):
            scores = products(rows[block], columns[part])
            best.offer(scores)
            best_rows.offer(scores, axis=1)
        of_rows.append(best.top())
    return _stack(of_rows), _stack([best.top() for best in of_columns])


def _parts(length: int) -> list[slice]:
    """Cut columns into parts of nearly equal width."""
    number = max(1, -(-length // TILE_COLUMNS))
    return list(slices(length, max(1, -(-length // number))))


def _blocks(length: int, columns: int) -> list[slice]:
    """Cut rows into blocks that make tiles of bounded size with the columns' parts."""
    return list(slices(length, max(1, TILE_SCORES // max(1, min(columns, TILE_COLUMNS)))))


def slices(length: int, size: int) -> Iterator[slice]:
    """Cut a range into blocks."""
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def _stack(tops: list[Top]) -> Top:
    return Top(*(torch.cat(parts) for parts in zip(*tops, strict=True)))


def with_bar(blocks: Iterable[Block], length: int, other: torch.Tensor) -> Iterable[Block]:
    """Show progress if the product will take long; a bar for every short one would fill the log."""
    if length * other.numel() < 20 * LONG:
        return blocks
    return progress(list(blocks), "nearest neighbours", unit="block")
