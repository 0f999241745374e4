"""Word alignment of parallel sentences: IBM's first model, preferring the diagonal (Dyer et al., 2013).

A word on one side comes from a word on the other, or from none, with the probability

    share of its position x translation probability

where positions near the diagonal have larger shares: e^(-tension x distance from it). Translation
probabilities are learned by expectation maximisation with a Dirichlet prior, and so is the tension, in both
directions; links found in both directions are kept. Cells of the word grids are flat arrays, for a block of
sentences at a time. This is what fast_align does; docs/methods/word-links.md says why it is not used itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.encoders.linked_pairs import NO_LINKS, short_pairs
from xstitch.training.batches import Ragged

BLOCK = 2000  # sentence pairs whose cells are in memory at once
PIECE = 1_000_000  # pairs of words whose probabilities are computed at once
TENSION_STEPS, TENSION_RATE = 8, 20.0  # how the tension is learned, and its bounds: as in fast_align
LOOSEST, TIGHTEST = 0.1, 14.0


@dataclass(frozen=True)
class AlignerSettings:
    """How translation probabilities are learned; the defaults are fast_align's, with its options -d -o -v."""

    iterations: int = 5  # of which the last only links
    tension: float = 4.0  # how strongly the diagonal is preferred at first
    adapted: bool = True  # whether the tension is learned
    null: float = 0.08  # probability that a word comes from none
    prior: float = 0.01  # of the Dirichlet distribution: pushes rare translations down


def link_pairs(source: Sequence[str], target: Sequence[str], max_words: int | None) -> list[np.ndarray]:
    """Link the words of sentences with words between spaces; pairs that are left out have no links."""
    used = np.flatnonzero(short_pairs(source, target, max_words))
    if not len(used):
        raise InputError("word alignment: no sentence pair is short enough")
    words = [[texts[row].split() for row in used] for texts in (source, target)]
    links = [NO_LINKS] * len(source)
    for row, found in zip(used, align_words(*words, AlignerSettings()), strict=True):
        links[row] = found
    return links


def align_words(
    source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], settings: AlignerSettings
) -> list[np.ndarray]:
    """Align words one to one: an array of (source position, target position) for each sentence pair."""
    if len(source) != len(target):
        raise InputError(f"word alignment: {len(source)} sentences and {len(target)} translations")
    sides = [_numbered(sentences) for sentences in (source, target)]
    forth = _Direction(*sides, settings).best("source to target")
    back = _Direction(*reversed(sides), settings).best("target to source")
    return [intersection(a, b) for a, b in zip(forth, back, strict=True)]


def intersection(forth: np.ndarray, back: np.ndarray) -> np.ndarray:
    """Keep links of both directions: `forth` has each target word's source, `back` each source's target."""
    targets = np.flatnonzero(forth >= 0)
    mutual = targets[back[forth[targets]] == targets]
    return np.stack([forth[mutual], mutual], axis=1)


class _Direction:
    """One direction of alignment: every generated word has one origin, a word of the other side or none."""

    def __init__(
        self, origins: tuple[Ragged, int], generated: tuple[Ragged, int], settings: AlignerSettings
    ) -> None:
        (self.origins, self.kinds), (self.generated, self.width) = origins, generated
        self.settings = settings
        self.tension = settings.tension
        # Origin 0 is the empty word; the others move up by one.
        self.keys = self._all_keys()
        self.owners = (self.keys // self.width).astype(np.int32)
        self.chances = np.ones(len(self.keys))  # at first, only positions count

    def best(self, label: str) -> list[np.ndarray]:
        """Learn, then return each generated word's likeliest origin in its sentence; -1 for none."""
        updates = range(self.settings.iterations - 1)
        for number in progress(updates, f"aligning {label}", unit="iteration"):
            counts, distance = self._expect()
            if self.settings.adapted and number > 0:
                self.tension = self._adapted(distance)
            self._maximise(counts)
        origins = []
        for cells in self._cells():
            origins += cells.best(cells.shares * self.chances[cells.keys])
        return origins

    def _expect(self) -> tuple[np.ndarray, float]:
        """Return how often words are expected to come from each other, and their mean distance then."""
        counts, distance = np.zeros(len(self.keys)), 0.0
        for cells in self._cells():
            shares = cells.shares * self.chances[cells.keys]
            shares /= np.bincount(cells.words, shares)[cells.words]
            np.add.at(counts, cells.keys, shares)
            distance += float(shares @ cells.observed)
        return counts, distance / self.generated.lengths.sum()

    def _maximise(self, counts: np.ndarray) -> None:
        """Set translation probabilities to their variational means under the prior."""
        counts += self.settings.prior
        totals = digamma(np.bincount(self.owners, counts))
        # In place and piece by piece: there are a hundred million pairs of words at paper scale.
        for start in range(0, len(counts), PIECE):
            piece = slice(start, start + PIECE)
            counts[piece] = np.exp(digamma(counts[piece]) - totals[self.owners[piece]])
        self.chances = counts

    def _adapted(self, distance: float) -> float:
        """Move the tension towards the one under which words have this mean distance."""
        sizes = _Sizes(self.generated.lengths, self.origins.lengths)
        tension = self.tension
        for _ in range(TENSION_STEPS):
            tension += TENSION_RATE * (sizes.distance(tension) - distance)
            tension = min(max(tension, LOOSEST), TIGHTEST)
        return tension

    def _all_keys(self) -> np.ndarray:
        """Collect all pairs of words that share a sentence pair, each once, as sorted numbers."""
        blocks = progress(self._blocks(), "collecting pairs of words", unit="block")
        return np.unique(np.concatenate([np.unique(self._grid(rows)[0]) for rows in blocks]))

    def _blocks(self) -> Iterator[np.ndarray]:
        rows = np.arange(len(self.origins))
        yield from (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))

    def _grid(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """List sentence pairs' cells: key, positions of origin (-1: none) and generated word, sentence."""
        heights, widths = self.origins.lengths[rows] + 1, self.generated.lengths[rows]
        sizes = heights * widths
        sentences = np.repeat(np.arange(len(rows)), sizes)
        inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        positions, origins = np.divmod(inside, heights[sentences])
        generated = self.generated.values[self.generated.offsets[rows][sentences] + positions]
        origin_rows = self.origins.offsets[rows][sentences] + np.maximum(origins - 1, 0)
        owners = np.where(origins > 0, self.origins.values[origin_rows] + 1, 0)
        return owners.astype(np.int64) * self.width + generated, origins - 1, positions, sentences

    def _cells(self) -> Iterator[_Cells]:
        for rows in self._blocks():
            keys, origins, positions, sentences = self._grid(rows)
            lengths, heights = self.generated.lengths[rows], self.origins.lengths[rows]
            words = np.concatenate([[0], np.cumsum(lengths)])[sentences] + positions
            real = origins >= 0
            distances = np.abs((origins + 1) / heights[sentences] - (positions + 1) / lengths[sentences])
            near = np.where(real, np.exp(-self.tension * distances), 0)
            sums = np.bincount(words, near)[words]
            shares = np.where(real, (1 - self.settings.null) * near / sums, self.settings.null)
            places, borders = np.searchsorted(self.keys, keys), np.cumsum(lengths)[:-1]
            # fast_align counts generated words from 0 where it observes distances: on German and English its
            # tension becomes 7, which would be 11 if they were counted from 1.
            observed = np.abs((origins + 1) / heights[sentences] - positions / lengths[sentences])
            yield _Cells(places, shares, np.where(real, observed, 0), words, origins, borders)


@dataclass(frozen=True)
class _Cells:
    """Cells of the word grids of a block of sentence pairs; a word's cells are adjacent."""

    keys: np.ndarray
    shares: np.ndarray  # of positions
    observed: np.ndarray  # distances from the diagonal, 0 for no origin
    words: np.ndarray  # number of the generated word in the block
    origins: np.ndarray  # position of the origin in its sentence, -1 for none
    borders: np.ndarray  # of sentences, in words

    def best(self, chances: np.ndarray) -> list[np.ndarray]:
        """Return the likeliest origin of each word, sentence by sentence."""
        starts = np.flatnonzero(np.diff(self.words, prepend=-1))
        highest = np.maximum.reduceat(chances, starts)
        hits = np.flatnonzero(chances >= highest[self.words])
        first = hits[np.flatnonzero(np.diff(self.words[hits], prepend=-1))]
        return np.split(self.origins[first], self.borders)


class _Sizes:
    """The sizes of all word grids: what the tension alone makes of them."""

    def __init__(self, generated: np.ndarray, origins: np.ndarray) -> None:
        sizes, counts = np.unique(np.stack([generated, origins], axis=1), axis=0, return_counts=True)
        grids = [
            np.abs(np.arange(1, height + 1) / height - np.arange(1, width + 1)[:, None] / width)
            for width, height in sizes.tolist()
        ]
        self.distances = np.concatenate([grid.ravel() for grid in grids])
        heights, self.repeats = np.repeat(sizes[:, 1], sizes[:, 0]), np.repeat(counts, sizes[:, 0])
        self.starts = np.cumsum(heights) - heights

    def distance(self, tension: float) -> float:
        """Return words' mean distance from the diagonal if positions alone decide where they come from."""
        near = np.exp(-tension * self.distances)
        sums = [np.add.reduceat(values, self.starts) for values in (near * self.distances, near)]
        return float(self.repeats @ (sums[0] / sums[1]) / self.repeats.sum())


def _numbered(sentences: Sequence[Sequence[str]]) -> tuple[Ragged, int]:
    """Turn sentences into numbers of their words; return the number of distinct words, too."""
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in sentence] for sentence in sentences]
    if not all(rows):
        raise InputError("word alignment: a sentence has no words; leave its pair out")
    return Ragged.from_lists(rows), len(numbers)
