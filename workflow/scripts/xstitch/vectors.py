"""Static word vectors: one matrix, one word list in order of frequency, one npz file."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import numpy as np

from xstitch.errors import InputError
from xstitch.files import load_npz, save_npz
from xstitch.progress import progress


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
            raise InputError(f"{path}: word vectors hold 'matrix' and 'words', not {sorted(arrays)}")
        text = arrays["words"].tobytes().decode()
        return cls(text.split("\n") if text else [], arrays["matrix"])


def unit_rows(matrix: np.ndarray) -> np.ndarray:
    """Scale rows to length one; a zero row stays zero."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.maximum(norms, np.finfo(np.float32).tiny)


def read_text_vectors(path: str | Path, limit: int | None = None) -> Vectors:
    """Read the first `limit` rows of a word2vec text file (.vec, .vec.gz), streaming."""
    with _open_text(Path(path)) as stream:
        size = _read_header(stream, path)
        wanted = size[0] if limit is None else min(limit, size[0])
        rows = dict(progress(_rows(stream, path, size[1], wanted), "reading vectors", wanted, "word"))
    if not rows:
        raise InputError(f"{path}: holds no word vectors after its header")
    return Vectors(list(rows), np.stack(list(rows.values())))


def _open_text(path: Path) -> BinaryIO:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _read_header(stream: BinaryIO, path: str | Path) -> tuple[int, int]:
    parts = stream.readline().split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        raise InputError(f"{path}:1: a word2vec text file begins with 'rows dimensions', not {parts[:3]}")
    return int(parts[0]), int(parts[1])


def _rows(
    stream: BinaryIO, path: str | Path, dimensions: int, wanted: int
) -> Iterator[tuple[str, np.ndarray]]:
    for number, line in zip(range(2, wanted + 2), stream, strict=False):
        # The word may itself hold spaces (some wiki vectors do): the numbers are the last fields.
        word, *values = line.rstrip().rsplit(b" ", dimensions)
        if len(values) != dimensions:
            raise InputError(f"{path}:{number}: {dimensions} numbers expected after the word")
        try:
            yield word.decode(errors="replace"), np.array(values, dtype=np.float32)
        except ValueError as problem:
            raise InputError(f"{path}:{number}: not a number among the values ({problem})") from problem
