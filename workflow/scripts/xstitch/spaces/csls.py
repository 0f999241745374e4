"""CSLS: the best by score minus a discount, the ranks of known translations, and the random share of VecMap.

CSLS(x, y) = 2 cos(x, y) - r(x) - r(y); r is a vector's mean cosine to its k nearest on the other side.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from xstitch.spaces.best import Top
from xstitch.spaces.neighbours import Products, nearest, with_bar
from xstitch.spaces.tiles import slices

DROP_ROWS = 256  # rows that share one draw of the scores to keep
RIVALS_ROWS = 64  # rows that are multiplied with the same rivals if none is dropped: few rows have few
STRATA = 4  # parts of the rows that are sorted separately
RANKED = 2**21  # scores compared at once when gold items are ranked


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
        products, draws = Products(self.left), torch.arange(len(self.left), device=self.left.device)
        draws //= DROP_ROWS
        kept = _draw(-(-len(draws) // DROP_ROWS), len(self.right), keep, generator).to(draws.device)
        values, best = self._best_known(kept[draws[self.row], self.column])
        for block, mask in with_bar(self._blocks(values, kept, keep), len(self.left), self.right):
            rivals = self._rivals(block, values[block], mask)
            if len(rivals):
                scores, places = products(self.left[block], self.right[rivals]).max(dim=1)
                best[block] = torch.where(scores > values[block], rivals[places], best[block])
        return best

    def _blocks(
        self, values: torch.Tensor, kept: torch.Tensor, keep: float
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Cut the contested rows into blocks, each with the mask of its columns.

        While columns are dropped, rows keep their order: neighbours share a draw, and the last bit of a score
        must not decide which rows share it. Otherwise neighbours are to have rivals in common, so rows are
        ordered by both numbers that `_rivals` compares.
        """
        contested = self._contested(values)
        if keep < 1:
            draws = contested.split(DROP_ROWS)
            blocks = (draw.nonzero()[:, 0] + DROP_ROWS * number for number, draw in enumerate(draws))
            return ((block, mask) for block, mask in zip(blocks, kept, strict=True) if len(block))
        rows = contested.nonzero()[:, 0]
        strata = rows[(self.row_limits - values)[rows].argsort()].chunk(STRATA)
        sorted_rows = torch.cat([part[values[part].argsort()] for part in strata])
        return ((block, kept[0]) for block in sorted_rows.split(RIVALS_ROWS) if len(block))

    def _contested(self, values: torch.Tensor) -> torch.Tensor:
        """Mark the rows whose best known column may be beaten: by one of small discount and high limit."""
        discounts, order = self.discounts.sort()
        limits = self.column_limits[order].cummax(dim=0).values
        smaller = torch.searchsorted(discounts, self.row_limits - values)
        return (smaller > 0) & (limits[(smaller - 1).clamp(min=0)] > values)

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
    ranks, products = [], Products(keys)
    # Whole rows at once, because translations may be anywhere; few of them, to stay in cache.
    size = max(1, RANKED // len(keys))
    for block in slices(len(queries), size):
        scores = products(queries[block], keys)
        gold_scores = scores.gather(1, translations[block])
        best = gold_scores.amax(dim=1, keepdim=True)
        # Translations are in ascending order: the first with the best score is the most frequent.
        best_column = translations[block].gather(1, (gold_scores == best).int().argmax(dim=1, keepdim=True))
        ranks.append(_ahead(scores, best, best_column))
    return np.concatenate(ranks)


def _ahead(scores: torch.Tensor, best: torch.Tensor, column: torch.Tensor) -> np.ndarray:
    """Count each row's scores above its best, and those that equal it in an earlier column."""
    if scores.is_cuda:
        places = torch.arange(scores.shape[1], device=scores.device)
        return ((scores > best) | ((scores == best) & (places < column))).sum(dim=1).cpu().numpy()
    # Row by row, because counts along an axis make eight bytes of each first.
    rows, values = scores.numpy(), best.numpy()
    above = [np.count_nonzero(row) for row in rows > values]
    ends = column[:, 0].tolist()
    level = [np.count_nonzero(row[:end]) for row, end in zip(rows == values, ends, strict=True)]
    return np.array(above) + level


def csls_ranks(
    left: torch.Tensor, right: torch.Tensor, queries: np.ndarray, gold: np.ndarray, k: int
) -> np.ndarray:
    """Find the rank (from 0) by CSLS of the best translation of each query, a row of `left`."""
    # A query's own mean shifts all its scores equally, so only the targets' means matter for ranks.
    means = nearest(right, left, k).values.mean(dim=1)
    query_rows = left[torch.from_numpy(queries).to(left.device)]
    return gold_ranks(*with_csls(query_rows, right, query_rows.new_zeros(len(query_rows)), means), gold)
