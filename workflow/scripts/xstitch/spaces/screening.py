"""Nearest neighbours that are nearly known: the scores of an earlier map's neighbours bound what can matter.

Each row and each column has a number that at least k of its scores reach. Tiles of the product are compared
with both while they are in cache, and nothing else is ever sorted.
"""

from __future__ import annotations

import numpy as np

from xstitch.spaces.best import Top, places_of
from xstitch.spaces.tiles import ArrayProducts, slices

HEIGHT, WIDTH = 384, 2048  # of a tile: 3 MB
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
    """Find so many best columns of each row and best rows of each column, given what as many scores reach.

    Rows of a tile have nearly the same bound, so that one comparison serves both sides.
    """
    products, found, order = ArrayProducts(rows), ([], []), np.argsort(bounds[0])
    for block in slices(len(rows), HEIGHT):
        block_rows = order[block]
        lowest, some = bounds[0][block_rows[0]], rows[block_rows]
        for part in slices(len(columns), WIDTH):
            scores = products(some, columns[part])
            row, column, reached = _reaching(scores, np.minimum(bounds[1][part], lowest))
            pairs = block_rows[row], column + part.start
            for hits, items, partners, own in zip(found, pairs, pairs[::-1], bounds, strict=True):
                kept = reached >= own[items]
                hits.append((items[kept], partners[kept], reached[kept]))
    return tuple(
        _best(hits, len(side), number)
        for hits, side, number in zip(found, (rows, columns), numbers, strict=True)
    )


def _reaching(scores: np.ndarray, bounds: np.ndarray) -> Hits:
    """List the scores that reach the bound of their column: rows, columns, scores."""
    places = places_of(scores >= bounds)
    return *np.divmod(places, scores.shape[1]), scores.reshape(-1)[places]


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
