"""Vectors of invented words in the formats of fastText and word2vec, as many and as wide as the real ones."""

from __future__ import annotations

import gzip
import struct
from functools import cache
from pathlib import Path

import numpy as np
from words import SIZE, words

BLOCK = 10_000  # rows written at a time
BUCKETS = 2_000_000  # of fastText's n-grams
CLUSTERS = 500
HIGHEST = 0.9999


@cache
def _rotation(dimensions: int, seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((dimensions, dimensions)))[0]


def vectors(lang: str, dimensions: int, size: int = SIZE) -> np.ndarray:
    """Vectors of a language: those of all languages are rotations of one space, with noise.

    Words come in clusters and directions differ in strength: spaces can be aligned without a dictionary.
    """
    shared = np.random.default_rng(1)
    strength = np.linspace(1, 0.1, dimensions)
    centres = shared.standard_normal((CLUSTERS, dimensions)) * strength
    space = centres[shared.integers(CLUSTERS, size=size)].astype(np.float32)
    space += 0.5 * shared.standard_normal((size, dimensions), dtype=np.float32) * strength.astype(np.float32)
    seed = sum(map(ord, lang))
    space = space @ _rotation(dimensions, seed).astype(np.float32)
    own = np.random.default_rng(seed)
    space += 0.1 * own.standard_normal((size, dimensions), dtype=np.float32)
    return np.clip(0.2 * space, -HIGHEST, HIGHEST)


def write_text(path: Path, lang: str, dimensions: int = 300, size: int = SIZE) -> None:
    """Write `rows dimensions`, then a word and its numbers per line; all numbers are equally wide.

    A file that is named .vec.gz, also while it is only a part of it, is packed.
    """
    table, known = vectors(lang, dimensions, size), words(lang, size)
    written = [f" {k / 1e4:.4f}" if k < 0 else f" {k / 1e4:.5f}" for k in range(-9999, 10_000)]
    numbers = np.array(written, dtype="S8")
    with gzip.open(path, "wb", 1) if ".gz" in path.suffixes else path.open("wb") as file:
        file.write(f"{size} {dimensions}\n".encode())
        for start in range(0, size, BLOCK):
            rows = numbers[np.rint(table[start : start + BLOCK] * 1e4).astype(np.int64) + 9999]
            lines = zip(known[start : start + BLOCK], rows, strict=True)
            file.write(b"".join(name.encode() + row.tobytes() + b"\n" for name, row in lines))


def write_word2vec(path: Path, lang: str, dimensions: int = 300, size: int = SIZE) -> None:
    """Write word2vec's binary format: a word, a space, raw floats."""
    table, known = vectors(lang, dimensions, min(size, SIZE)).astype("<f4"), words(lang, size)
    with path.open("wb") as file:
        file.write(f"{size} {dimensions}\n".encode())
        for start in range(0, size, BLOCK):
            rows = table[start % len(table) :][:BLOCK]  # rare words repeat the vectors of frequent ones
            lines = zip(known[start : start + BLOCK], rows, strict=True)
            file.write(b"".join(name.encode() + b" " + row.tobytes() + b"\n" for name, row in lines))


def write_fasttext(
    path: Path, lang: str, dimensions: int = 300, size: int = SIZE, buckets: int = BUCKETS
) -> None:
    """Write a fastText model: settings, words with frequencies, one matrix for words and n-grams.

    The rows of n-grams are zero, and take no space on a disk that leaves holes in files.
    """
    settings = struct.pack("<12id", dimensions, 5, 5, 5, 5, 1, 2, 1, buckets, 3, 6, 100, 1e-4)
    counts = struct.pack("<3iq", size, size, 0, 10**9)
    entries = [
        name.encode() + b"\0" + struct.pack("<qb", 10**9 // (rank + 1), 0)
        for rank, name in enumerate(words(lang, size))
    ]
    with path.open("wb") as file:
        file.write(struct.pack("<2i", 793712314, 12) + settings + counts + struct.pack("<q", -1))
        file.write(b"".join(entries) + b"\0" + struct.pack("<2q", size + buckets, dimensions))
        file.write(vectors(lang, dimensions, size).astype("<f4").tobytes())
        file.truncate(file.tell() + buckets * dimensions * 4)
