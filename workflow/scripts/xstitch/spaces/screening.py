"""Nearest neighbours that are nearly known: the scores of an earlier map's neighbours bound what can matter.

Each row and each column has a number that at least k of its scores reach. Tiles of the product are read once
for the maxima of groups of scores, along and across the rows; only groups that reach a bound are looked into.
"""

from __future__ import annotations

import numpy as np

from xstitch.spaces.best import ACROSS, STRIP, Top, group_maxima, places_of, reaching
from xstitch.spaces.tiles import blocks_of, parts_of, slices

DOWN = 8  # scores of a column in one group
PARTNERS = 2**31 - 1
SCORED = 2048  # rows whose known neighbours are scored at once
Hits = tuple[np.ndarray, np.ndarray, np.ndarray]  # items, partners, scores


def bounds_of(rows: np.ndarray, columns: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Find a number for each row that its scores with its known columns reach, however they are rounded."""
    norm = (np.linalg.norm(side, axis=1).max(initial=0) for side in (rows, columns))
    error = 2 * rows.shape[1] * np.finfo(np.float32).eps * np.prod([*norm])
    blocks = slices(len(rows), SCORED)
    scores = [np.einsum("nkd,nd->nk", columns[known[block]], rows[block]).min(axis=1) for block in blocks]
    return np.concatenate(scores) - np.float32(error)


def mutual_reaching(
    rows: np.ndarray, columns: np.ndarray, numbers: tuple[int, int], bounds: tuple[np.ndarray, np.ndarray]
) -> tuple[Top, Top]:
    """Find so many best columns of each row and best rows of each column, given what as many scores reach."""
    blocks, parts = blocks_of(len(rows), len(columns)), parts_of(len(columns))
    tile = Tile(blocks[0].stop, parts[0].stop)
    of_rows, of_columns = [], []
    for block in blocks:
        for part in parts:
            tile.fill(rows[block], columns[part])
            row, column, scores = tile.along_rows(bounds[0][block])
            of_rows.append((row + block.start, column + part.start, scores))
            row, column, scores = tile.along_columns(bounds[1][part])
            of_columns.append((column + part.start, row + block.start, scores))
    return _best(of_rows, len(rows), numbers[0]), _best(of_columns, len(columns), numbers[1])


class Tile:
    """Scores of some rows with some columns, padded to whole groups, and the groups' maxima."""

    def __init__(self, height: int, width: int) -> None:
        height, width = -(-height // STRIP) * STRIP, -(-width // ACROSS) * ACROSS
        self.scores = np.full((height, width), -np.inf, dtype=np.float32)
        self.row_maxima = np.empty((height, width // ACROSS), dtype=np.float32)
        self.column_maxima = np.empty((height // DOWN, width), dtype=np.float32)

    def fill(self, rows: np.ndarray, columns: np.ndarray) -> None:
        """Multiply, and take the maxima of both kinds of groups while a few rows are in cache."""
        self.scores[len(rows) :] = -np.inf
        self.scores[:, len(columns) :] = -np.inf
        np.matmul(rows, columns.T, out=self.scores[: len(rows), : len(columns)])
        height, width = self.scores.shape
        for strip in slices(height, STRIP):
            self.row_maxima[strip] = group_maxima(self.scores[strip])
            down = self.scores[strip].reshape(STRIP // DOWN, DOWN, width)
            groups = slice(strip.start // DOWN, strip.stop // DOWN)
            np.maximum.reduce(down, axis=1, out=self.column_maxima[groups])

    def along_rows(self, bounds: np.ndarray) -> Hits:
        """List the scores that reach their row's bound: rows, columns, scores."""
        places = reaching(self.scores, self.row_maxima, _padded(bounds, len(self.scores)))
        return self._at(places)

    def along_columns(self, bounds: np.ndarray) -> Hits:
        """List the scores that reach their column's bound: rows, columns, scores."""
        width = self.scores.shape[1]
        bounds = _padded(bounds, width)
        group, column = np.divmod(places_of(self.column_maxima >= bounds), width)
        places = (group * DOWN * width + column)[:, None] + np.arange(DOWN) * width
        hits = places_of(self.scores.reshape(-1)[places] >= bounds[column, None])
        return self._at(places.reshape(-1)[hits])

    def _at(self, places: np.ndarray) -> Hits:
        return *np.divmod(places, self.scores.shape[1]), self.scores.reshape(-1)[places]


def _padded(bounds: np.ndarray, length: int) -> np.ndarray:
    """Give rows and columns that fill up a tile bounds that nothing reaches."""
    return np.concatenate([bounds, np.full(length - len(bounds), np.inf, dtype=np.float32)])


def _best(found: list[Hits], items: int, k: int) -> Top:
    """Take the k best of each item's scores, of which there are at least k; of equals the first partner."""
    owners, partners, scores = map(np.concatenate, zip(*found, strict=True))
    # A score and its partner as one integer that sorts as both do; 0 is added because -0.0 equals 0.0.
    keys = _flipped((scores + np.float32(0)).view(np.int32)).astype(np.int64) << 32 | PARTNERS - partners
    keys = keys[np.sort(owners << 32 | np.arange(len(owners))) & (2**32 - 1)]
    counts = np.bincount(owners, minlength=items)
    ends, best = np.cumsum(counts), np.empty((items, k), dtype=np.int64)
    sizes = np.frexp(counts)[1]  # items with similar numbers of scores at a time
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        back = np.arange(1, counts[chosen].max() + 1)
        taken = np.where(
            back <= counts[chosen, None], keys[ends[chosen, None] - back], np.iinfo(np.int64).min
        )
        best[chosen] = np.sort(taken, axis=1)[:, : -k - 1 : -1]
    return Top(_flipped((best >> 32).astype(np.int32)).view(np.float32), PARTNERS - (best & (2**32 - 1)))


def _flipped(bits: np.ndarray) -> np.ndarray:
    """Turn the bits of floats into integers in the same order, or back."""
    return bits ^ (bits >> 31 & 0x7FFFFFFF)
