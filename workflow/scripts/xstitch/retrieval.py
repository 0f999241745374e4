"""Nearest neighbours and CSLS between two sets of vectors, in tiles that stay in a processor's cache.

Scores are dot products: give unit rows for cosines. Selecting the k best of every row by sorting or by k
argmax passes costs far more than the product itself. Here one pass takes the maximum of each group of scores;
only the k groups with the largest maxima can hold one of the k best, and only they are looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch

from xstitch.progress import progress

TILE_ROWS = 512
TILE_COLUMNS = 20_480
LOOK_COLUMNS = 64  # columns looked at again at once: their candidates should stay in cache
GROUP = 64  # adjacent columns of which the maximum is taken first
MAXIMA_BYTES = 256 * 2**20  # what the group maxima of a column of tiles may take
DROP_ROWS = 256  # rows that share one draw of the scores to keep
LONG = 10**11  # products of numbers, about a second's work: more of them get a progress bar


class Top(NamedTuple):
    """The best scores of each row in descending order, and where they are."""

    values: torch.Tensor
    indices: torch.Tensor


def to_device(matrix: np.ndarray) -> torch.Tensor:
    """Put a matrix as float32 on the GPU if there is one."""
    rows = torch.from_numpy(np.ascontiguousarray(matrix, dtype=np.float32))
    return rows.to("cuda" if torch.cuda.is_available() else "cpu")


def unit(rows: torch.Tensor) -> torch.Tensor:
    """Scale rows to length one; a zero row stays zero."""
    return torch.nn.functional.normalize(rows, dim=1, eps=torch.finfo(torch.float32).tiny)


class Products:
    """Products of tiles into one buffer: fresh memory for each would cost as much as the arithmetic."""

    def __init__(self, like: torch.Tensor) -> None:
        self.buffer = like.new_empty(0)

    def __call__(self, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Multiply; the result holds until the next call."""
        size = len(rows) * len(columns)
        if size > len(self.buffer):
            self.buffer = rows.new_empty(size)
        return torch.mm(rows, columns.T, out=self.buffer[:size].view(len(rows), len(columns)))


def nearest(queries: torch.Tensor, keys: torch.Tensor, k: int) -> Top:
    """Find each query's k best keys."""
    products = Products(queries)
    blocks = _bar(slices(len(queries), TILE_ROWS), len(queries), keys)
    return _stack([_best_keys(queries[rows], keys, k, products) for rows in blocks])


def _best_keys(queries: torch.Tensor, keys: torch.Tensor, k: int, products: Products) -> Top:
    parts = slices(len(keys), TILE_COLUMNS)
    return _merge([_shift(top_of_rows(products(queries, keys[p]), k), p.start) for p in parts], k)


def mutual_nearest(rows: torch.Tensor, columns: torch.Tensor, k: int) -> tuple[Top, Top]:
    """Find each row's k best columns and each column's k best rows, from one product."""
    group = 64 if k == 1 else 8  # divides TILE_ROWS; k groups of candidates should stay few
    groups = -(-len(rows) // group)
    width = max(1, min(TILE_COLUMNS, MAXIMA_BYTES // (4 * groups)))
    of_rows, of_columns, products = [], [], Products(rows)
    for part in _bar(slices(len(columns), width), len(columns), rows):
        maxima = rows.new_empty(groups, part.stop - part.start)
        tops = []
        for block in slices(len(rows), TILE_ROWS):
            scores = products(rows[block], columns[part])
            tops.append(_shift(top_of_rows(scores, k), part.start))
            first = block.start // group
            maxima[first : first + -(-len(scores) // group)] = _group_maxima(scores, group)
        of_rows.append(_stack(tops))
        of_columns.append(_look_again(maxima, rows, columns[part], group, k))
    return _merge(of_rows, k), _stack(of_columns)


def best_of_kept(
    rows: torch.Tensor, columns: torch.Tensor, keep: float, generator: torch.Generator
) -> torch.Tensor:
    """Find each row's best column among a random share `keep` of the columns, drawn anew for every few rows.

    Rows that share a draw let the product skip what was dropped; of distinct columns (the translations of
    distinct words) each is still kept or not on its own. A dropped score cannot win: it is not computed.
    """
    best, products = [], Products(rows)
    for block in slices(len(rows), DROP_ROWS):
        kept = (torch.rand(len(columns), generator=generator) < keep).nonzero().squeeze(1)
        if not len(kept):
            kept = torch.randint(len(columns), (1,), generator=generator)
        kept = kept.to(rows.device)
        best.append(kept[_best_keys(rows[block], columns[kept], 1, products).indices[:, 0]])
    return torch.cat(best)


def with_csls(
    rows: torch.Tensor, columns: torch.Tensor, row_means: torch.Tensor, column_means: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Append two dimensions that make every dot product half the CSLS score: cos - r_row/2 - r_column/2.

    The means are of each vector's similarities to its k nearest on the other side.
    """
    ones = rows.new_ones
    left = torch.cat([rows, ones(len(rows), 1), -row_means[:, None] / 2], dim=1)
    right = torch.cat([columns, -column_means[:, None] / 2, ones(len(columns), 1)], dim=1)
    return left, right


def top_of_rows(scores: torch.Tensor, k: int) -> Top:
    """Find the k largest of each row, in descending order."""
    height, width = scores.shape
    k, groups = min(k, width), width // GROUP
    if groups < 2 * k:  # too narrow for groups to pay
        return _sorted_top(scores, k)
    whole = groups * GROUP
    grid = scores[:, :whole].unflatten(1, (groups, GROUP))
    best = _sorted_top(grid.amax(dim=2), k).indices[:, :, None].expand(-1, -1, GROUP)
    offsets = torch.arange(GROUP, device=scores.device)
    rest = torch.arange(whole, width, device=scores.device).expand(height, -1)
    places = torch.cat([(best * GROUP + offsets).flatten(1), rest], dim=1)
    top = _sorted_top(torch.cat([grid.gather(1, best).flatten(1), scores[:, whole:]], dim=1), k)
    return Top(top.values, places.gather(1, top.indices))


def slices(length: int, size: int) -> Iterator[slice]:
    """Cut a range into blocks."""
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def _group_maxima(scores: torch.Tensor, group: int) -> torch.Tensor:
    """Take each column's maximum over groups of adjacent rows; the last group may be smaller."""
    whole = len(scores) // group * group
    maxima = scores[:whole].unflatten(0, (-1, group)).amax(dim=1)
    if whole == len(scores):
        return maxima
    return torch.cat([maxima, scores[whole:].amax(dim=0, keepdim=True)])


def _look_again(maxima: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor, group: int, k: int) -> Top:
    """Find each column's k best rows within its k best groups of rows."""
    missing = -len(rows) % group
    chunks = torch.nn.functional.pad(rows, (0, 0, 0, missing)).view(len(maxima), -1)
    offsets = torch.arange(group, device=rows.device)
    parts = []
    for part in slices(len(columns), LOOK_COLUMNS):
        groups = top_of_rows(maxima[:, part].T.contiguous(), k).indices
        places = (groups[:, :, None] * group + offsets).flatten(1)
        candidates = chunks.index_select(0, groups.flatten()).view(*places.shape, -1)
        scores = torch.bmm(candidates, columns[part, :, None]).squeeze(2)
        scores[places >= len(rows)] = -torch.inf
        top = _sorted_top(scores, min(k, len(rows)))
        parts.append(Top(top.values, places.gather(1, top.indices)))
    return _stack(parts)


def _sorted_top(scores: torch.Tensor, k: int) -> Top:
    if k == 1:
        values, indices = scores.max(dim=1, keepdim=True)
        return Top(values, indices)
    return Top(*scores.topk(k, dim=1))


def _merge(tops: list[Top], k: int) -> Top:
    """Join the best of several parts of the columns."""
    if len(tops) == 1:
        return tops[0]
    values, indices = (torch.cat(parts, dim=1) for parts in zip(*tops, strict=True))
    best = _sorted_top(values, min(k, values.shape[1]))
    return Top(best.values, indices.gather(1, best.indices))


def _stack(tops: list[Top]) -> Top:
    return Top(*(torch.cat(parts) for parts in zip(*tops, strict=True)))


def _shift(top: Top, start: int) -> Top:
    return Top(top.values, top.indices + start)


def _bar(blocks: Iterator[slice], length: int, other: torch.Tensor) -> Iterator[slice]:
    """Show progress where the product will take long; a bar for every short one would fill the log."""
    if length * other.numel() < 20 * LONG:
        return blocks
    return iter(progress(list(blocks), "nearest neighbours", unit="block"))
