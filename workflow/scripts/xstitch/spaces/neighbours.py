"""Nearest neighbours between two sets of vectors, in tiles of their product.

Scores are dot products: pass unit rows for cosines. Whatever looks for the nearest rows of another space does
it here: relative maps, CSLS, anchors, translations of words and of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
import torch

from xstitch.core.progress import progress
from xstitch.spaces.best import Best, Top
from xstitch.spaces.screening import bounds_of, mutual_reaching
from xstitch.spaces.tiles import Search, blocks_of, parts_of

LONG = 10**11  # multiplications, about a second's work; twenty times as many get a progress bar
SAMPLED = 64  # rows by which bounds are judged
LOOSE = 5  # times as many scores as are looked for
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


def nearest(queries: torch.Tensor, keys: torch.Tensor, k: int) -> Top:
    """Find each query's k best keys."""
    search = Search(keys, k, Products, best_of)
    blocks = with_bar(search.blocks(len(queries)), len(queries), keys)
    return _stack([search(queries[block]) for block in blocks])


def mutual_nearest(
    rows: torch.Tensor,
    columns: torch.Tensor,
    k: int,
    before: tuple[torch.Tensor, torch.Tensor] | None = None,
) -> tuple[Top, Top]:
    """Find each row's k best columns and each column's k best rows, from one product.

    The numbers of those found `before`, when rows or columns were a little different, make it faster and
    change nothing but last bits: products of some processors depend on where in a tile a row is.
    """
    if before and not rows.is_cuda and rows.dtype == torch.float32:
        found = _found_again(rows.numpy(), columns.numpy(), tuple(side.numpy() for side in before))
        if found:
            return tuple(Top(*map(torch.from_numpy, top)) for top in found)
    products, parts = Products(rows), parts_of(len(columns))
    of_rows, of_columns = [], [best_of(part.stop - part.start, k, columns) for part in parts]
    for block in with_bar(blocks_of(len(rows), len(columns)), len(rows), columns):
        best = best_of(block.stop - block.start, k, rows)
        for part, best_rows in zip(parts, of_columns, strict=True):
            scores = products(rows[block], columns[part])
            best.offer(scores)
            best_rows.offer(scores, axis=1)
        of_rows.append(best.top())
    return _stack(of_rows), _stack([best.top() for best in of_columns])


def _found_again(
    rows: np.ndarray, columns: np.ndarray, known: tuple[np.ndarray, np.ndarray]
) -> tuple[Top, Top] | None:
    """Search beside neighbours that are known from before; none if they are too far from what is near now."""
    sides, numbers = ((rows, columns), (columns, rows)), tuple(each.shape[1] for each in known)
    bounds = tuple(bounds_of(*side, each) for side, each in zip(sides, known, strict=True))
    if any(map(_loose, sides, bounds, numbers)):
        return None
    return mutual_reaching(rows, columns, numbers, bounds)


def _loose(side: tuple[np.ndarray, np.ndarray], bounds: np.ndarray, k: int) -> bool:
    """Whether many more than k scores reach the bounds of some rows: then bounds spare no work."""
    rows, columns = side
    some = slice(None, None, max(1, len(rows) // SAMPLED))
    return (rows[some] @ columns.T >= bounds[some, None]).sum() > LOOSE * k * len(bounds[some])


def best_of(items: int, k: int, like: torch.Tensor) -> Best | BestOnGpu:
    """Prepare to collect the k best partners of each of so many items, where the scores will be."""
    return BestOnGpu(items, k, like) if like.is_cuda else Best(items, k, like)


class BestOnGpu:
    """The same where comparisons cost nothing and the copy of what they find would: torch's own selection."""

    def __init__(self, items: int, k: int, like: torch.Tensor) -> None:
        self.k = k
        self.offered = 0
        none = like.new_empty(items, 0)
        self.best = Top(none, none.long())

    def offer(self, tile: torch.Tensor, axis: int = 0) -> None:
        """Look at the scores with the next partners; the items are on this axis."""
        new = _topk(tile if axis == 0 else tile.T, self.k)
        values = torch.cat([self.best.values, new.values], dim=1)
        partners = torch.cat([self.best.indices, new.indices + self.offered], dim=1)
        values, order = values.sort(dim=1, descending=True, stable=True)
        self.best = Top(values[:, : self.k], partners.gather(1, order[:, : self.k]))
        self.offered += tile.shape[1 - axis]

    def top(self) -> Top:
        """Return the best of all partners offered."""
        return self.best


def _topk(scores: torch.Tensor, k: int) -> Top:
    """Find the k largest of each row; of equals the first wins, which torch.topk does not promise."""
    top = scores.topk(min(k + 1, scores.shape[1]), dim=1)  # one more shows whether the last has an equal
    if (top.values[:, 1:] == top.values[:, :-1]).any():
        top = scores.sort(dim=1, descending=True, stable=True)
    return Top(top.values[:, :k], top.indices[:, :k])


def _stack(tops: list[Top]) -> Top:
    return Top(*(torch.cat([torch.as_tensor(part) for part in parts]) for parts in zip(*tops, strict=True)))


def with_bar(blocks: Iterable[Block], length: int, other: torch.Tensor) -> Iterable[Block]:
    """Show progress if the product will take long; a bar for every short one would fill the log."""
    if length * other.numel() < 20 * LONG:
        return blocks
    return progress(list(blocks), "nearest neighbours", unit="block")
