"""Static word vectors: one matrix, one word list ordered by frequency, one npz file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.files import load_npz, load_npz_rows, save_npz

LOWER_CASED_SHARE = 0.99  # with at least this share of lower-case words, the training text was lower-cased


@dataclass(frozen=True)
class Vectors:
    """Row i of `matrix` is the vector of `words[i]`; frequent words come first."""

    words: list[str]
    matrix: np.ndarray

    def __post_init__(self) -> None:
        if len(self.words) != len(self.matrix):
            raise ValueError(f"{len(self.words)} words but {len(self.matrix)} vectors")

    @cached_property
    def index(self) -> dict[str, int]:
        """Map each word to its row."""
        return {word: row for row, word in enumerate(self.words)}

    def save(self, path: str | Path) -> None:
        """Write the matrix and the words."""
        save_npz(path, matrix=self.matrix.astype(np.float32, copy=False), words=pack_words(self.words))

    @classmethod
    def load(cls, path: str | Path) -> Vectors:
        """Read what `save` wrote."""
        arrays = load_npz(path)
        if set(arrays) != {"matrix", "words"}:
            names = ", ".join(sorted(arrays))
            raise InputError(f"{path}: word vectors have 'matrix' and 'words', not {names}; make it again")
        try:
            if arrays["matrix"].ndim != 2 or arrays["matrix"].dtype.kind != "f":
                raise ValueError("not a matrix of floats")
            return cls(unpack_words(arrays["words"]), arrays["matrix"])
        except (ValueError, TypeError) as problem:
            raise InputError(f"{path}: damaged word vectors ({problem}); make the file again") from problem


def pack_words(words: Iterable[str]) -> np.ndarray:
    """Join words into one block of UTF-8: fixed-width text would waste gigabytes."""
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def unpack_words(block: np.ndarray) -> list[str]:
    """Split what `pack_words` joined."""
    text = block.tobytes().decode()
    return text.split("\n") if text else []


def load_words(paths: Iterable[str | Path]) -> list[str]:
    """Read the words of several files, in the given order, without their vectors."""
    return [word for path in paths for word in unpack_words(load_npz(path, ["words"])["words"])]


def load_chosen(paths: Sequence[str | Path], chosen: Iterable[str]) -> Vectors:
    """Read the vectors of some words from several files as from one; no other vectors are held in memory.

    The words come in the order of the files; of a word that occurs twice, the last vector counts.
    """
    wanted, found = set(chosen), {}
    for number, path in enumerate(paths):
        found |= {word: (number, row) for row, word in enumerate(load_words([path])) if word in wanted}
    places = sorted((place, word) for word, place in found.items())
    rows = ([row for (part, row), _ in places if part == number] for number in range(len(paths)))
    parts = [load_npz_rows(path, "matrix", np.array(r, int)) for path, r in zip(paths, rows, strict=True)]
    return Vectors([word for _, word in places], np.concatenate(parts))


def unit_rows(matrix: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Scale rows to length one, in place if `out` is the matrix; a zero row stays zero."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.divide(matrix, np.maximum(norms, np.finfo(np.float32).tiny), out=out)


def lower_cased(words: Sequence[str]) -> bool:
    """Whether the vectors were trained on lower-cased text, so that input must be lower-cased too."""
    lower = sum(word == word.lower() for word in words)
    return lower >= LOWER_CASED_SHARE * len(words)
