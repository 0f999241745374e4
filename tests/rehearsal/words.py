"""Invented words and texts: as many words as real vocabularies have, texts as long as models can read."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

import numpy as np

CONSONANTS, VOWELS = "bdfgjklmnprstvwz", "aeiou"
SYLLABLES = [consonant + vowel for consonant in CONSONANTS for vowel in VOWELS]
ENDINGS = {"en": "n", "de": "d", "es": "s", "nds": "x"}  # words of different languages differ
FREQUENT = 20_000  # words that texts are made of
SIZE = 200_000  # words that have vectors


def word(number: int, lang: str) -> str:
    """The word of a rank, the same meaning in all languages."""
    syllables = []
    while number or len(syllables) < 3:
        number, last = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[last])
    return "".join(syllables) + ENDINGS[lang]


def words(lang: str, size: int = SIZE) -> list[str]:
    """The most frequent words of a language."""
    return [word(number, lang) for number in range(size)]


def texts(lang: str, name: str, count: int, length: int, size: int = FREQUENT) -> Iterator[str]:
    """Texts of `length` words each, which differ by `name`; frequent words are frequent, as in real text."""
    known = np.array(words(lang, size), dtype=object)
    rng = np.random.default_rng(crc32(f"{lang}/{name}".encode()))
    for _ in range(count):
        ranks = (size ** rng.random(length)).astype(np.int64) - 1  # log-uniform: Zipf's law
        yield " ".join(known[ranks])


def sentences(lang: str, name: str, count: int, length: int, size: int = FREQUENT) -> Iterator[str]:
    """Texts that end with a full stop."""
    return (f"{text} ." for text in texts(lang, name, count, length, size))
