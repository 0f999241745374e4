"""Word alignment of parallel sentences: IBM's first model, preferring the diagonal (Dyer et al., 2013).

A word on one side comes from a word on the other, or from none, with the probability

    share of its position x translation probability

where positions near the diagonal have larger shares. Translation probabilities are learned by expectation
maximisation with a Dirichlet prior, in both directions; links found in both directions are kept. Cells of the
word grids are flat arrays, for a block of sentences at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.training.batches import Ragged

BLOCK = 2000  # sentence pairs whose cells are in memory at once


@dataclass(frozen=True)
class AlignerSettings:
    """How translation probabilities are learned; the defaults are fast_align's."""

    iterations: int = 5
    tension: float = 4.0  # how strongly the diagonal is preferred
    null: float = 0.08  # probability that a word comes from none
    prior: float = 0.01  # of the Dirichlet distribution: pushes rare translations down


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
        # Origin 0 is the empty word; the others move up by one.
        self.keys = self._all_keys()
        starts = np.searchsorted(self.keys // self.width, np.arange(self.kinds + 2))
        self.owners = np.repeat(np.arange(self.kinds + 1), np.diff(starts))
        self.chances = 1 / np.diff(starts)[self.owners]

    def best(self, label: str) -> list[np.ndarray]:
        """Learn, then return each generated word's likeliest origin in its sentence; -1 for none."""
        for _ in progress(range(self.settings.iterations), f"aligning {label}", unit="iteration"):
            counts = np.zeros(len(self.keys))
            for cells in self._cells():
                shares = cells.shares * self.chances[cells.keys]
                shares /= np.bincount(cells.words, shares)[cells.words]
                np.add.at(counts, cells.keys, shares)
            self._maximise(counts)
        origins = []
        for cells in self._cells():
            origins += cells.best(cells.shares * self.chances[cells.keys])
        return origins

    def _maximise(self, counts: np.ndarray) -> None:
        """Set translation probabilities to their variational means under the prior."""
        counts = counts + self.settings.prior
        totals = np.bincount(self.owners, counts)
        self.chances = np.exp(digamma(counts) - digamma(totals)[self.owners])

    def _all_keys(self) -> np.ndarray:
        """Collect all pairs of words that share a sentence pair, each once, as sorted numbers."""
        keys = np.array([], dtype=np.int64)
        for rows in self._blocks():
            keys = np.union1d(keys, np.unique(self._grid(rows)[0]))
        return keys

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
            distance = np.abs((origins + 1) / heights[sentences] - (positions + 1) / lengths[sentences])
            real = origins >= 0
            near = np.where(real, np.exp(-self.settings.tension * distance), 0)
            sums = np.bincount(words, near)[words]
            shares = np.where(real, (1 - self.settings.null) * near / sums, self.settings.null)
            yield _Cells(np.searchsorted(self.keys, keys), shares, words, origins, np.cumsum(lengths)[:-1])


@dataclass(frozen=True)
class _Cells:
    """Cells of the word grids of a block of sentence pairs; a word's cells are adjacent."""

    keys: np.ndarray
    shares: np.ndarray  # of positions
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


def _numbered(sentences: Sequence[Sequence[str]]) -> tuple[Ragged, int]:
    """Turn sentences into numbers of their words; return the number of distinct words, too."""
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in sentence] for sentence in sentences]
    if not all(rows):
        raise InputError("word alignment: a sentence has no words; leave its pair out")
    return Ragged.from_lists(rows), len(numbers)
