"""Collect words and vectors block by block; leave out unusable rows, and log how many there were."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from unicodedata import normalize

import numpy as np

from xstitch.core.errors import InputError
from xstitch.vectors.table import Vectors

LOG = logging.getLogger("xstitch")
LARGEST_SHARE_NOT_FINITE = 0.01
LARGEST_SHARE_UNDECODABLE = 0.5
SPARE = 1 / 16  # of the matrix, so that it seldom has to grow


class Rows:
    """The rows collected so far: at most `limit`, and only the first of equal words."""

    def __init__(self, name: str, limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise InputError(f"{name}: a limit of {limit} words leaves none; give 1 or more, or no limit")
        self.name = name
        self.limit = limit
        self.seen = 0
        self.left_out = {"repeated": 0, "not UTF-8": 0, "not finite": 0, "without a usable word": 0}
        self._words: dict[str, None] = {}
        self._matrix = np.empty((0, 0), dtype=np.float32)

    @property
    def remaining(self) -> int | None:
        """How many more rows are accepted; None means any number, as in a slice."""
        return None if self.limit is None else self.limit - len(self._words)

    def fill(self, words: Sequence[bytes], matrix: np.ndarray) -> None:
        """Add usable rows of a block until the limit is reached, and count no row behind it."""
        while len(words) and self.remaining != 0:
            number = len(words[: self.remaining])
            self.add(words[:number], matrix[:number])
            words, matrix = words[number:], matrix[number:]

    def add(self, words: Sequence[bytes], matrix: np.ndarray) -> None:
        """Add the usable rows of a block."""
        finite = np.isfinite(matrix).all(axis=1)
        self.seen += len(words)
        if not (finite.all() and self._admit_all(words)):
            usable = [row for row, word in enumerate(words) if self._admit(word, finite[row])]
            matrix = matrix[usable]
        if len(matrix):
            self._append(matrix)

    def _append(self, rows: np.ndarray) -> None:
        """Put rows behind those that are there."""
        filled = len(self._words) - len(rows)
        if len(self._matrix) < len(self._words):
            # Growing in place moves pages, not bytes: there is never a second copy of the whole matrix.
            self._resize(len(self._words) * (1 + SPARE), rows.shape[1])
        self._matrix[filled : len(self._words)] = rows

    def _resize(self, rows: float, columns: int) -> None:
        if not self._matrix.size:
            self._matrix = np.empty((0, columns), dtype=np.float32)
        self._matrix.resize((int(rows), columns), refcheck=False)

    def vectors(self, promised: int | None = None) -> Vectors:
        """Return the collected rows, unless too many are bad; `promised` is the header's row count."""
        complete = self.remaining != 0
        if complete and promised is not None and promised != self.seen:
            LOG.warning("%s: the header promises %d rows, the file has %d", self.name, promised, self.seen)
        for reason, count in self.left_out.items():
            if count:
                LOG.warning("%s: %d of %d rows left out: %s", self.name, count, self.seen, reason)
        self._refuse_if_bad("not finite", LARGEST_SHARE_NOT_FINITE, "the vectors are broken, get others")
        self._refuse_if_bad("not UTF-8", LARGEST_SHARE_UNDECODABLE, "convert the file to UTF-8 first")
        if not self._words:
            raise InputError(f"{self.name}: holds no word vectors; is it the right file, and complete?")
        self._resize(len(self._words), self._matrix.shape[1])
        return Vectors(list(self._words), self._matrix)

    def _admit_all(self, words: Sequence[bytes]) -> bool:
        """Add all words and return True, or none if any is not usable; much faster than word by word."""
        try:
            texts = normalize("NFC", b"\n".join(words).decode()).split("\n")
        except UnicodeDecodeError:
            return False
        new = dict.fromkeys(texts)
        if len(new) != len(words) or len(texts) != len(words) or "" in new:
            return False
        if not new.keys().isdisjoint(self._words.keys()):
            return False
        self._words |= new
        return True

    def _admit(self, raw: bytes, finite: bool) -> bool:
        """Add the word and return True, or count the reason why not."""
        try:
            word = normalize("NFC", raw.decode())  # as lexica and texts are read
        except UnicodeDecodeError:
            # With replacement characters it would be in no dictionary, and different words could be equal.
            self.left_out["not UTF-8"] += 1
            return False
        if not word or "\n" in word:  # our npz files separate words by line ends
            reason = "without a usable word"
        elif not finite:
            reason = "not finite"
        elif word in self._words:
            reason = "repeated"
        else:
            self._words[word] = None
            return True
        self.left_out[reason] += 1
        return False

    def _refuse_if_bad(self, reason: str, share: float, remedy: str) -> None:
        count = self.left_out[reason]
        if count > share * self.seen:
            raise InputError(f"{self.name}: {count} of {self.seen} rows are {reason}; {remedy}")
