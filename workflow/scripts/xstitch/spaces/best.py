"""The k best of many scores, from tiles of a product, without sorting what cannot be among them.

Sorting or partitioning all scores can take longer than multiplying. Here the maxima of groups of scores in
the first tile give each item a bound that at least k scores reach; from then on the bound is the k-th best
score so far. Scores are compared with the bounds while they are in cache, and only those that reach them are
looked at again. Of equal scores the first partner's wins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

GROUPS = 4  # times k: so many groups that few of the best share one
FEWEST_GROUPS = 128  # so that a product with few partners is sorted instead
ACROSS = 16  # scores of a row in one group
STRIP = 16  # rows whose groups' maxima are taken at once
COMPARED = 2**19  # scores compared at once: their mask stays in cache until it is read
FOLDED = 32  # items whose first bounds are found at once
WORD = 8  # bytes of a mask that are tested at once


class Top(NamedTuple):
    """The best scores of each item in descending order, and the partners they belong to.

    Both are arrays of numpy, or tensors where the scores were.
    """

    values: Any
    indices: Any


class Best:
    """The k best partners so far of each item; tiles of scores come in the order of their partners."""

    def __init__(self, items: int, k: int, like: Any) -> None:
        self.k = k
        self.offered = 0
        self.values = np.full((items, k), -np.inf, dtype=np.asarray(like[:0]).dtype)
        self.partners = np.zeros((items, k), dtype=np.int64)
        self.found: list[tuple[np.ndarray, ...]] = []  # items, partners and scores, not yet among the best
        self.waiting = 0

    def offer(self, tile: Any, axis: int = 0) -> None:
        """Look at the scores with the next partners; the items are on this axis."""
        scores, partners = np.asarray(tile), tile.shape[1 - axis]
        groups = max(1 << (GROUPS * self.k - 1).bit_length(), FEWEST_GROUPS)
        if self.offered:
            # Only what is better than the last of the best counts, and the next float is.
            self._find(scores, np.nextafter(self.values[:, -1], np.inf, dtype=scores.dtype), axis)
        elif partners >= 2 * groups:
            self._find(scores, _first_bounds(scores, self.k, axis, groups), axis)
        else:
            self._start(scores if axis == 0 else scores.T)
        self.offered += partners
        # Settling after every tile would take longer than the scores that a higher bound keeps away.
        if self.waiting >= self.values.size:
            self._settle()

    def _start(self, scores: np.ndarray) -> None:
        """Begin with so few scores that they can be sorted."""
        order = _descending(np.ascontiguousarray(scores))[:, : self.k]
        self.values[:, : order.shape[1]] = np.take_along_axis(scores, order, axis=1)
        self.partners[:, : order.shape[1]] = order

    def _find(self, scores: np.ndarray, bounds: np.ndarray, axis: int) -> None:
        """Note the scores that reach the bounds, partners in order."""
        places = reaching(scores, bounds, axis)
        row, column = np.divmod(places, scores.shape[1])
        items, partners = (row, column) if axis == 0 else (column, row)
        self.found.append((items, partners + self.offered, scores.reshape(-1)[places]))
        self.waiting += len(places)

    def top(self) -> Top:
        """Return the best of all partners offered."""
        self._settle()
        k = min(self.k, self.offered)
        return Top(self.values[:, :k], self.partners[:, :k])

    def _settle(self) -> None:
        """Put what was found among the best, items with similar numbers of scores at a time."""
        if not self.waiting:
            return
        items, partners, scores = _by_item(*map(np.concatenate, zip(*self.found, strict=True)))
        counts = np.bincount(items, minlength=len(self.values))
        starts = np.cumsum(counts) - counts
        sizes = np.frexp(counts)[1]  # a few items may have thousands, if their scores are equal
        for size in np.unique(sizes[counts > 0]):
            chosen = np.flatnonzero(sizes == size)
            places = np.arange(counts[chosen].max())
            taken = np.minimum(starts[chosen, None] + places, len(scores) - 1)
            new = np.where(places < counts[chosen, None], scores[taken], -np.inf)
            values = np.concatenate([self.values[chosen], new], axis=1, dtype=scores.dtype)
            order = _descending(values)[:, : self.k]
            known = np.concatenate([self.partners[chosen], partners[taken]], axis=1)
            self.values[chosen] = np.take_along_axis(values, order, axis=1)
            self.partners[chosen] = np.take_along_axis(known, order, axis=1)
        self.found, self.waiting = [], 0


def group_maxima(scores: np.ndarray) -> np.ndarray:
    """Take the maxima of groups of each row's scores; the last few columns may be in none.

    A group's scores are far apart, so that maxima are taken of long stretches of memory, some rows at a time
    while they are in cache.
    """
    width = scores.shape[1] // ACROSS
    maxima = np.empty((len(scores), width), dtype=scores.dtype)
    for first in range(0, len(scores), STRIP):
        rows = scores[first : first + STRIP, : ACROSS * width]
        np.maximum.reduce(rows.reshape(len(rows), ACROSS, width), axis=1, out=maxima[first : first + STRIP])
    return maxima


def reaching(scores: np.ndarray, bounds: np.ndarray, axis: int = 0) -> np.ndarray:
    """List the flat numbers, in order, of the scores that reach the bound of their row (axis 1: column)."""
    width, size = scores.shape[1], max(1, COMPARED // max(1, scores.shape[1]))
    mask, found = np.empty((min(size, len(scores)), width), dtype=bool), []
    for first in range(0, len(scores), size):
        rows = scores[first : first + size]
        lowest = bounds[first : first + size, None] if axis == 0 else bounds
        found.append(places_of(np.greater_equal(rows, lowest, out=mask[: len(rows)])) + first * width)
    return np.concatenate(found)


def _first_bounds(scores: np.ndarray, k: int, axis: int, groups: int) -> np.ndarray:
    """Find a number for each item that at least k of its scores reach, and few more: of k groups' maxima.

    Folding the partners in half, again and again, makes groups in fewer and longer loops than taking maxima.
    A few items at a time stay in cache, and no half of a tile is held in memory.
    """
    if axis == 0 and scores.shape[1] // ACROSS >= 2 * groups:
        scores = group_maxima(scores)
    by_item = scores if axis == 0 else scores.T
    bounds = np.empty(len(by_item), dtype=scores.dtype)
    for first in range(0, len(by_item), FOLDED):
        maxima = np.ascontiguousarray(by_item[first : first + FOLDED])
        while maxima.shape[1] >= 2 * groups:
            half = maxima.shape[1] // 2
            maxima = np.maximum(maxima[:, :half], maxima[:, half : 2 * half])
        bounds[first : first + FOLDED] = np.partition(maxima, -k, axis=1)[:, -k]
    return bounds


def places_of(mask: np.ndarray) -> np.ndarray:
    """List the flat numbers where a mask is true: at few places, so eight are tested at once."""
    flat = mask.reshape(-1)
    whole = len(flat) // WORD * WORD
    words = flat[:whole].view(np.uint64)
    some = np.flatnonzero(words != 0)
    hits = np.flatnonzero(words[some].view(bool))
    places = some[hits // WORD] * WORD + hits % WORD
    rest = whole + np.flatnonzero(flat[whole:])
    return np.concatenate([places, rest]) if len(rest) else places


def _descending(values: np.ndarray) -> np.ndarray:
    """Order each row from its largest value on, of equals the first first."""
    if values.dtype != np.float32:
        return np.argsort(-values, axis=1, kind="stable")
    # As one integer with their places, which sort ten times as fast; 0 is added because -0.0 equals 0.0.
    bits = (values + np.float32(0)).view(np.int32)
    ascending = (bits ^ (bits >> 31 & 0x7FFFFFFF)).astype(np.int64) << 32
    last = values.shape[1] - 1
    keys = np.sort(ascending | (last - np.arange(last + 1)), axis=1)[:, ::-1]
    return last - (keys & (2**32 - 1))


def _by_item(
    items: np.ndarray, partners: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort by item, and by arrival within one: sorting plain numbers is far faster than a stable argsort."""
    order = np.sort(items << 32 | np.arange(len(items))) & (2**32 - 1)
    return items[order], partners[order], scores[order]
