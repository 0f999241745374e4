"""Gather words and vectors block by block, leaving out what cannot be used, and say how much that was."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from xstitch.core.errors import InputError
from xstitch.vectors.table import Vectors

LOG = logging.getLogger("xstitch")
LARGEST_SHARE_NOT_FINITE = 0.01
LARGEST_SHARE_UNDECODABLE = 0.5


class Rows:
    """The rows kept so far; the first of equal words wins, at most `limit` are kept."""

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
    def wanting(self) -> int | None:
        """How many rows may still come; None means any number, as in a slice."""
        return None if self.limit is None else self.limit - len(self._words)

    def add(self, words: Sequence[bytes], matrix: np.ndarray) -> None:
        """Keep the usable rows of a block."""
        finite = np.isfinite(matrix).all(axis=1).tolist()
        kept = [row for row, word in enumerate(words) if self._admit(word, finite[row])]
        self.seen += len(words)
        if not kept:
            return
        if not self._matrix.size:
            self._matrix = np.empty((0, matrix.shape[1]), dtype=np.float32)
        # Growing in place moves pages, not bytes: no second copy of the whole matrix ever exists.
        filled = len(self._matrix)
        self._matrix.resize((filled + len(kept), matrix.shape[1]), refcheck=False)
        self._matrix[filled:] = matrix if len(kept) == len(matrix) else matrix[kept]

    def vectors(self, promised: int | None = None) -> Vectors:
        """What was gathered, after a look at what was not; `promised` is the header's row count."""
        complete = self.wanting != 0
        if complete and promised is not None and promised != self.seen:
            LOG.warning("%s: the header promises %d rows, the file has %d", self.name, promised, self.seen)
        for reason, count in self.left_out.items():
            if count:
                LOG.warning("%s: %d of %d rows left out: %s", self.name, count, self.seen, reason)
        self._refuse_if_bad("not finite", LARGEST_SHARE_NOT_FINITE, "the vectors are broken, get others")
        self._refuse_if_bad("not UTF-8", LARGEST_SHARE_UNDECODABLE, "convert the file to UTF-8 first")
        if not self._words:
            raise InputError(f"{self.name}: holds no word vectors; is it the right file, and complete?")
        return Vectors(list(self._words), self._matrix)

    def _admit(self, raw: bytes, finite: bool) -> bool:
        """Note the word and return True, or count why not."""
        try:
            word = raw.decode()
        except UnicodeDecodeError:
            # A replacement character would be found in no dictionary, and make different words equal.
            self.left_out["not UTF-8"] += 1
            return False
        if not word or "\n" in word:  # our npz separates words by line ends
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
