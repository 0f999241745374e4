"""fastText's subwords: hash the character n-grams of many words at once, and average their vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

# Published constants of the 32-bit FNV-1a hash.
FNV_START, FNV_FACTOR = np.uint32(2166136261), np.uint32(16777619)


@dataclass(frozen=True)
class Ngrams:
    """Lengths of n-grams in characters, the number of hash buckets, and the one word without n-grams."""

    shortest: int
    longest: int
    buckets: int
    bare: bytes | None = None


def ngram_buckets(words: Sequence[bytes], ngrams: Ngrams) -> tuple[np.ndarray, np.ndarray]:
    """Return the word's index and the n-gram's bucket for every n-gram of every word."""
    text = np.frombuffer(b"".join(b"<%b>" % word for word in words), dtype=np.uint8)
    ends = np.cumsum([len(word) + 2 for word in words])
    # fastText works on bytes: a character is a byte and the continuation bytes after it.
    starts = np.append(np.flatnonzero((text & 0xC0) != 0x80), len(text))
    widths = np.diff(starts)
    owner = np.searchsorted(ends, starts[:-1], side="right")
    # Bytes enter the hash as signed char in C: the upper half is sign-extended.
    values = text.view(np.int8).astype(np.int32).view(np.uint32)
    first = np.arange(len(widths))
    last = first.copy()
    hashes = np.full(len(widths), FNV_START, dtype=np.uint32)
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    for length in range(1, ngrams.longest + 1):
        _absorb(hashes, starts[last], widths[last], values)
        if length >= ngrams.shortest:
            # The marks < and > alone are not n-grams.
            real = slice(None) if length > 1 else _inner(owner[first])
            parts.append((owner[first][real], hashes[real] % np.uint32(max(ngrams.buckets, 1))))
        grows = (last + 1 < len(owner)) & (owner[np.minimum(last + 1, len(owner) - 1)] == owner[first])
        first, last, hashes = first[grows], last[grows] + 1, hashes[grows]
        if not len(first):  # no word is longer
            break
    if not parts or not ngrams.buckets:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    owners, buckets = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    order = np.argsort(owners, kind="stable")
    return owners[order], buckets[order].astype(np.int64)


def subword_means(
    words: Sequence[bytes],
    word_vectors: np.ndarray,
    look_up: Callable[[np.ndarray], np.ndarray],
    ngrams: Ngrams,
) -> np.ndarray:
    """Average each word's vector with those of its n-grams, which `look_up` returns by bucket."""
    owners, buckets = ngram_buckets(words, ngrams)
    if ngrams.bare in words:
        others = owners != words.index(ngrams.bare)
        owners, buckets = owners[others], buckets[others]
    sums = word_vectors.astype(np.float32)
    if len(owners):
        present, begins = np.unique(owners, return_index=True)
        sums[present] += np.add.reduceat(look_up(buckets), begins, axis=0)
    counts = 1 + np.bincount(owners, minlength=len(words))
    return sums / counts[:, None].astype(np.float32)


def _absorb(hashes: np.ndarray, starts: np.ndarray, widths: np.ndarray, values: np.ndarray) -> None:
    """Add the bytes of the next character to each hash."""
    for byte in range(int(widths.max(initial=0))):
        longer = widths > byte
        hashes[longer] = (hashes[longer] ^ values[starts[longer] + byte]) * FNV_FACTOR


def _inner(owner: np.ndarray) -> np.ndarray:
    """Mark the characters that are neither the first nor the last of their word."""
    same = owner[1:] == owner[:-1]
    return np.append(False, same) & np.append(same, False)
