"""Nearest neighbours and CSLS between two sets of vectors, in tiles of their product.

Scores are dot products: pass unit rows for cosines. Selecting the k best of every row by sorting or by k
argmax passes costs far more than the product itself. Here one pass takes the maximum of each group of scores;
only the k groups with the largest maxima can contain one of the k best, and only they are searched again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
import torch

from xstitch.core.progress import progress

TILE_ROWS = 2048
TILE_COLUMNS = 512  # small enough for a tile of scores to stay in cache until its maxima are taken
LOOK_ROWS = 1024  # rows whose best groups are searched again at once
GROUP = 16  # scores whose maximum is taken first; divides TILE_ROWS
MAXIMA_BYTES = 256 * 2**20  # memory for the group maxima of a column of tiles
DROP_ROWS = 256  # rows that share one draw of the scores to keep
STRATA = 4  # parts of the rows that are sorted separately
RANKED = 2**21  # scores compared at once when gold items are ranked
LONG = 10**11  # multiplications, about a second's work; twenty times as many get a progress bar
Block = TypeVar("Block")


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
    """Products of tiles in one buffer: fresh memory for each would cost as much as the arithmetic."""

    def __init__(self, like: torch.Tensor) -> None:
        self.buffer = like.new_empty(0)

    def __call__(self, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Multiply; the result is valid until the next call."""
        size = len(rows) * len(columns)
        if size > len(self.buffer):
            self.buffer = rows.new_empty(size)
        return torch.mm(rows, columns.T, out=self.buffer[:size].view(len(rows), len(columns)))


class Tiles:
    """Keys in tiles of equal width, the last one padded; scores of a tile are reduced to group maxima.

    The keys of a group are `stride` apart, so that maxima of neighbouring groups are computed side by side.
    """

    def __init__(self, keys: torch.Tensor) -> None:
        number = max(1, -(-len(keys) // TILE_COLUMNS))
        self.length = len(keys)
        self.stride = -(-len(keys) // (number * GROUP))
        self.width = self.stride * GROUP
        self.keys = _padded(keys, number * self.width)
        self.products = Products(keys)

    def scores(self, queries: torch.Tensor) -> Iterator[tuple[slice, torch.Tensor]]:
        """Multiply with one tile after the other; the padding of the last one never wins."""
        for part in slices(len(self.keys), self.width):
            scores = self.products(queries, self.keys[part])
            if part.stop > self.length:
                scores[:, self.length - part.stop :] = -torch.inf
            yield part, scores

    def maxima(self, scores: torch.Tensor) -> torch.Tensor:
        """Take each row's maximum over every group of a tile."""
        return scores.unflatten(1, (GROUP, self.stride)).amax(dim=1)

    def best(self, queries: torch.Tensor, maxima: list[torch.Tensor], k: int) -> Top:
        """Find each query's k best keys from the maxima of all tiles."""
        return _look_again(torch.cat(maxima, dim=1), queries, self.keys, k, self.length, self.stride)


def nearest(queries: torch.Tensor, keys: torch.Tensor, k: int) -> Top:
    """Find each query's k best keys."""
    tiles, tops = Tiles(keys), []
    for rows in _bar(slices(len(queries), TILE_ROWS), len(queries), keys):
        maxima = [tiles.maxima(scores) for _, scores in tiles.scores(queries[rows])]
        tops.append(tiles.best(queries[rows], maxima, k))
    return _stack(tops)


def mutual_nearest(rows: torch.Tensor, columns: torch.Tensor, k: int) -> tuple[Top, Top]:
    """Find each row's k best columns and each column's k best rows, from one product."""
    blocks = list(slices(len(rows), TILE_ROWS))
    groups = TILE_ROWS // GROUP
    height = len(blocks) * TILE_ROWS
    width = max(1, MAXIMA_BYTES * GROUP // (4 * height))
    of_rows, of_columns = [], []
    for part in _bar(slices(len(columns), width), len(columns), rows):
        tiles, tops = Tiles(columns[part]), []
        # Transposed tile by tile while in cache, because they will be read by column.
        of_row_groups = rows.new_full((len(blocks), len(tiles.keys), groups), -torch.inf)
        for block, transposed in zip(blocks, of_row_groups, strict=True):
            maxima = []
            for tile, scores in tiles.scores(rows[block]):
                maxima.append(tiles.maxima(scores))
                row_group_maxima = _maxima_of_row_groups(scores)
                transposed[tile, : len(row_group_maxima)] = row_group_maxima.T
            tops.append(_shift(tiles.best(rows[block], maxima, k), part.start))
        of_rows.append(_stack(tops))
        of_columns.append(_best_rows(of_row_groups, rows, columns[part], k))
    return _merge(of_rows, k), _stack(of_columns)


def _best_rows(maxima: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor, k: int) -> Top:
    """Find each column's k best rows (maxima of adjacent rows: blocks x columns x groups)."""
    padded = _padded(rows, len(maxima) * TILE_ROWS)
    return _stack(
        [
            _look_again(maxima[:, part].transpose(0, 1).flatten(1), columns[part], padded, k, len(rows), 1)
            for part in slices(len(columns), LOOK_ROWS)
        ]
    )


class Discounted:
    """Each row's best column by score minus the column's discount, from both sides' tops by score.

    Pairs in these tops are known. Any other pair scores no more than the last of its row's top and the last
    of its column's top, so few columns can beat a row's best known one, and only they are multiplied.
    """

    def __init__(
        self,
        rows: torch.Tensor,
        columns: torch.Tensor,
        of_rows: Top,
        of_columns: Top,
        discounts: torch.Tensor,
    ) -> None:
        self.left = torch.cat([rows, rows.new_ones(len(rows), 1)], dim=1)
        self.right = torch.cat([columns, -discounts[:, None]], dim=1)
        self.discounts = discounts
        self.row_limits, self.column_limits = of_rows.values[:, -1], of_columns.values[:, -1] - discounts
        self.row = torch.cat([_owners(of_rows), of_columns.indices.flatten()])
        self.column = torch.cat([of_rows.indices.flatten(), _owners(of_columns)])
        self.score = torch.cat([of_rows.values.flatten(), of_columns.values.flatten()])
        self.score -= discounts[self.column]

    def best(self, keep: float, generator: torch.Generator) -> torch.Tensor:
        """Find the best columns among a random share `keep` of them, redrawn for every few rows.

        Rows that share a draw let the product skip what was dropped; distinct columns (the translations of
        distinct words) are still kept or dropped independently.
        """
        order, products = self._order(keep), Products(self.left)
        draws = torch.empty_like(order)
        draws[order] = torch.arange(len(order), device=order.device) // DROP_ROWS
        kept = _draw(-(-len(order) // DROP_ROWS), len(self.right), keep, generator).to(order.device)
        values, best = self._best_known(kept[draws[self.row], self.column])
        for block, mask in _bar(zip(order.split(DROP_ROWS), kept, strict=True), len(order), self.right):
            rivals = self._rivals(block, values[block], mask)
            if len(rivals):
                top = _best_key(self.left[block], self.right[rivals], products)
                better = top.values[:, 0] > values[block]
                best[block] = torch.where(better, rivals[top.indices[:, 0]], best[block])
        return best

    def _order(self, keep: float) -> torch.Tensor:
        """Order rows so that neighbours have rivals in common: by both numbers that `_rivals` compares.

        While columns are dropped, rows keep their order: neighbours share a draw, and the last bit of a score
        must not decide which rows share it.
        """
        if keep < 1:
            return torch.arange(len(self.left), device=self.left.device)
        values, _ = self._best_known(torch.ones_like(self.row, dtype=torch.bool))
        strata = (self.row_limits - values).argsort().chunk(STRATA)
        return torch.cat([stratum[values[stratum].argsort()] for stratum in strata])

    def _best_known(self, kept: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Find each row's best discounted score among the known pairs kept, or -inf, and its column."""
        scores = self.score.masked_fill(~kept, -torch.inf)
        values = scores.new_full((len(self.left),), -torch.inf).scatter_reduce(0, self.row, scores, "amax")
        wins = scores == values[self.row]
        best = torch.full_like(self.row[: len(values)], len(self.right) - 1)
        # Of equal scores the most frequent word wins.
        return values, best.scatter_reduce(0, self.row[wins], self.column[wins], "amin")

    def _rivals(self, block: torch.Tensor, values: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """List the columns that may beat the best known one of some row of a block."""
        small = self.discounts < (self.row_limits[block] - values).max()
        return (kept & small & (self.column_limits > values.min())).nonzero()[:, 0]


def _best_key(queries: torch.Tensor, keys: torch.Tensor, products: Products) -> Top:
    return top_of_rows(products(queries, keys), 1)


def _owners(top: Top) -> torch.Tensor:
    """Return the row that each entry of a top belongs to."""
    return torch.arange(len(top.values), device=top.values.device).repeat_interleave(top.values.shape[1])


def _draw(height: int, width: int, keep: float, generator: torch.Generator) -> torch.Tensor:
    """Draw masks of the columns to keep, at least one in each."""
    if keep >= 1:
        return torch.ones(1, width, dtype=torch.bool).expand(height, -1)
    kept = torch.stack([torch.rand(width, generator=generator) < keep for _ in range(height)])
    spare = torch.randint(width, (height, 1), generator=generator)
    return kept.scatter(1, spare, kept.gather(1, spare) | ~kept.any(dim=1, keepdim=True))


def with_csls(
    rows: torch.Tensor, columns: torch.Tensor, row_means: torch.Tensor, column_means: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Append two dimensions that make every dot product half the CSLS score: cos - r_row/2 - r_column/2.

    The means are those of each vector's similarities to its k nearest on the other side.
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
    # The columns of a group are far apart, so that maxima of neighbouring groups are computed side by side.
    starts = torch.arange(0, groups * GROUP, groups, device=scores.device)
    maxima = scores[:, : groups * GROUP].unflatten(1, (GROUP, groups)).amax(dim=1)
    members = top_of_rows(maxima, k).indices[:, :, None] + starts
    rest = torch.arange(groups * GROUP, width, device=scores.device).expand(height, -1)
    return _top_at(scores, torch.cat([members.flatten(1), rest], dim=1), k)


def _top_at(scores: torch.Tensor, columns: torch.Tensor, k: int) -> Top:
    """Find the k largest of each row among its scores in some columns; of equals the first column wins."""
    chosen = scores.gather(1, columns)
    top = chosen.topk(min(k + 1, chosen.shape[1]), dim=1)  # one more shows whether the last has an equal
    if _has_equals(top.values):
        columns = columns.sort(dim=1).values
        top = scores.gather(1, columns).sort(dim=1, descending=True, stable=True)
    return Top(top.values[:, :k], columns.gather(1, top.indices[:, :k]))


def _has_equals(descending: torch.Tensor) -> bool:
    """Say whether two neighbours in a row are equal; -inf marks padding."""
    return bool(((descending[:, 1:] == descending[:, :-1]) & descending[:, 1:].isfinite()).any())


def slices(length: int, size: int) -> Iterator[slice]:
    """Cut a range into blocks."""
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def _padded(rows: torch.Tensor, length: int) -> torch.Tensor:
    return torch.nn.functional.pad(rows, (0, 0, 0, length - len(rows)))


def _maxima_of_row_groups(scores: torch.Tensor) -> torch.Tensor:
    """Take each column's maximum over groups of adjacent rows; the last group may be smaller."""
    whole = len(scores) // GROUP * GROUP
    maxima = scores[:whole].unflatten(0, (-1, GROUP)).amax(dim=1)
    if whole == len(scores):
        return maxima
    return torch.cat([maxima, scores[whole:].amax(dim=0, keepdim=True)])


def _look_again(
    maxima: torch.Tensor, queries: torch.Tensor, keys: torch.Tensor, k: int, length: int, stride: int
) -> Top:
    """Find each query's k best of the first `length` keys within its k best groups of keys."""
    groups = top_of_rows(maxima, k).indices
    first = groups // stride * (stride * GROUP) + groups % stride
    members = torch.arange(0, GROUP * stride, stride, device=keys.device)
    candidates = (first[:, :, None] + members).flatten(1).sort(dim=1).values
    scores = _products_at(queries, keys, candidates).masked_fill(candidates >= length, -torch.inf)
    top = _sorted_top(scores, min(k, length))
    return Top(top.values, candidates.gather(1, top.indices))


def _products_at(queries: torch.Tensor, keys: torch.Tensor, candidates: torch.Tensor) -> torch.Tensor:
    """Multiply each query with its candidate keys, in ascending order: gathering them takes far longer."""
    starts = torch.arange(0, candidates.numel() + 1, candidates.shape[1], device=candidates.device)
    zeros = queries.new_zeros(candidates.numel())
    with warnings.catch_warnings(action="ignore"):  # torch calls sparse matrices beta, once per process
        pattern = torch.sparse_csr_tensor(
            starts, candidates.flatten(), zeros, (len(queries), len(keys)), check_invariants=False
        )
    return torch.sparse.sampled_addmm(pattern, queries, keys.T).values().view_as(candidates)


def _sorted_top(scores: torch.Tensor, k: int) -> Top:
    if k == 1:
        values, indices = scores.max(dim=1, keepdim=True)
        return Top(values, indices)
    return _top_at(scores, torch.arange(scores.shape[1], device=scores.device).expand_as(scores), k)


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


def _bar(blocks: Iterable[Block], length: int, other: torch.Tensor) -> Iterable[Block]:
    """Show progress if the product will take long; a bar for every short one would fill the log."""
    if length * other.numel() < 20 * LONG:
        return blocks
    return progress(list(blocks), "nearest neighbours", unit="block")


def group_pairs(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn pairs into distinct queries and, per query, its translations; short rows repeat the last one."""
    pairs = np.unique(pairs, axis=0)
    queries, starts, counts = np.unique(pairs[:, 0], return_index=True, return_counts=True)
    positions = starts[:, None] + np.minimum(np.arange(counts.max()), counts[:, None] - 1)
    return queries, pairs[:, 1][positions]


def gold_ranks(queries: torch.Tensor, keys: torch.Tensor, gold: np.ndarray) -> np.ndarray:
    """Find the rank (from 0) of each query's best translation among all keys.

    Better keys are counted, not sorted; of equal scores the more frequent key, which comes first, wins.
    """
    translations = torch.from_numpy(gold).to(keys.device)
    columns = torch.arange(len(keys), device=keys.device)
    ranks, products = [], Products(keys)
    # Whole rows at once, because translations may be anywhere; few of them, to stay in cache.
    size = max(1, RANKED // len(keys))
    for block in slices(len(queries), size):
        scores = products(queries[block], keys)
        gold_scores = scores.gather(1, translations[block])
        best = gold_scores.amax(dim=1, keepdim=True)
        # Translations are in ascending order: the first with the best score is the most frequent.
        best_column = translations[block].gather(1, (gold_scores == best).int().argmax(dim=1, keepdim=True))
        ahead = (scores > best) | ((scores == best) & (columns < best_column))
        ranks.append(ahead.sum(dim=1))
    return torch.cat(ranks).cpu().numpy()


def csls_ranks(
    left: torch.Tensor, right: torch.Tensor, queries: np.ndarray, gold: np.ndarray, k: int
) -> np.ndarray:
    """Find the rank (from 0) by CSLS of the best translation of each query, a row of `left`."""
    # A query's own mean shifts all its scores equally, so only the targets' means matter for ranks.
    means = nearest(right, left, k).values.mean(dim=1)
    query_rows = left[torch.from_numpy(queries).to(left.device)]
    return gold_ranks(*with_csls(query_rows, right, query_rows.new_zeros(len(query_rows)), means), gold)
