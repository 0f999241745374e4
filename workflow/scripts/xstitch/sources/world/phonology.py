"""Sounds and letters: what words of a language can look like."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

VOWELS = "aeiou"
CONSONANTS = "bdfghjklmnprstvwxz"
LIQUIDS = "lrw"
GEORGIAN = str.maketrans("abcdefghijklmnopqrstuvwxyz", "აბცდეფგჰიჯკლმნოპქრსტუვღხყზ")
# Regular changes that turn a pivot word into its cognate, in order, as from Latin to Romance.
SOUND_CHANGES = (
    (re.compile(r"^p"), "f"),
    (re.compile(r"^k"), "h"),
    (re.compile(r"(?<=[aeiou])t(?=[aeiou])"), "d"),
    (re.compile(r"(?<=[aeiou])s(?=[aeiou])"), "z"),
    (re.compile(r"x"), "ks"),
    (re.compile(r"w"), "v"),
    (re.compile(r"e(?=[^aeiou]*$)"), "i"),
    (re.compile(r"(?<=[^aeiou])$"), "o"),
)


@dataclass(frozen=True)
class Phonology:
    """A language's sounds and how they form syllables."""

    consonants: str
    vowels: str
    codas: str
    cluster_chance: float  # onsets like `kr`
    coda_chance: float

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Phonology:
        """Choose the sounds of a new language."""
        consonants = "".join(sorted(rng.choice(list(CONSONANTS), 13, replace=False)))
        codas = "".join(sorted(rng.choice(list(consonants), 6, replace=False)))
        vowels = "".join(sorted(rng.choice(list(VOWELS), 4, replace=False)))
        cluster_chance, coda_chance = (int(rng.integers(*span)) / 1000 for span in ((50, 201), (200, 501)))
        return cls(consonants, vowels, codas, cluster_chance, coda_chance)

    def word(self, rng: np.random.Generator, syllables: int) -> str:
        """Draw a word."""
        return "".join(self._syllable(rng) for _ in range(syllables))

    def _syllable(self, rng: np.random.Generator) -> str:
        cluster, coda, *picks = rng.random(6).tolist()
        onset = _pick(self.consonants, picks[0])
        if cluster < self.cluster_chance and onset not in LIQUIDS:
            onset += _pick(LIQUIDS, picks[1])
        tail = _pick(self.codas, picks[2]) if coda < self.coda_chance else ""
        return onset + _pick(self.vowels, picks[3]) + tail


def _pick(letters: str, fraction: float) -> str:
    return letters[int(fraction * len(letters))]


def cognate(word: str) -> str:
    """Apply the regular sound changes to a pivot word."""
    for pattern, replacement in SOUND_CHANGES:
        word = pattern.sub(replacement, word)
    return word


def write(word: str, script: str) -> str:
    """Spell a word of plain Latin letters in a script."""
    return word.translate(GEORGIAN) if script == "georgian" else word


def capitalised(word: str) -> str:
    """Capitalise the first letter if the script has capitals (Georgian text has none)."""
    return word[:1].title() + word[1:]
