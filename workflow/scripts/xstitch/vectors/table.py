"""Static word vectors: one matrix, one word list in order of frequency, one npz file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.files import load_npz, save_npz


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
        """Write the matrix and the words as one UTF-8 block: fixed-width text would waste gigabytes."""
        block = np.frombuffer("\n".join(self.words).encode(), dtype=np.uint8)
        save_npz(path, matrix=self.matrix.astype(np.float32, copy=False), words=block)

    @classmethod
    def load(cls, path: str | Path) -> Vectors:
        """Read what `save` wrote."""
        arrays = load_npz(path)
        if set(arrays) != {"matrix", "words"}:
            found = ", ".join(sorted(arrays))
            raise InputError(f"{path}: word vectors hold 'matrix' and 'words', not {found}; make it again")
        try:
            if arrays["matrix"].ndim != 2 or arrays["matrix"].dtype.kind != "f":
                raise ValueError("not a matrix of floats")
            text = arrays["words"].tobytes().decode()
            return cls(text.split("\n") if text else [], arrays["matrix"])
        except (ValueError, TypeError) as problem:
            raise InputError(f"{path}: damaged word vectors ({problem}); make the file again") from problem


def load_joined(paths: Iterable[str | Path]) -> Vectors:
    """Read several files as one, in their order."""
    parts = [Vectors.load(path) for path in paths]
    return Vectors([word for part in parts for word in part.words], np.concatenate([p.matrix for p in parts]))


def unit_rows(matrix: np.ndarray) -> np.ndarray:
    """Scale rows to length one; a zero row stays zero."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.maximum(norms, np.finfo(np.float32).tiny)
