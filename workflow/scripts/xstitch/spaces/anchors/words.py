"""Words shared by two spaces that are worth comparing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import regex

from xstitch.core.errors import InputError
from xstitch.spaces.settings.search import WordRules
from xstitch.vectors.table import Vectors, load_chosen, load_words

LETTERS = regex.compile(r"\p{L}[\p{L}\p{M}]*")  # with vowel signs and accents, which str.isalpha refuses


class SharedWords(NamedTuple):
    """The chosen words of two spaces, and their vectors in both."""

    words: list[str]
    source: Vectors
    target: Vectors


def load_shared(source: Sequence[str | Path], target: Sequence[str | Path], rules: WordRules) -> SharedWords:
    """Choose words of two spaces and read their vectors: of millions, some thousands are compared."""
    words = choose_words(load_words(source), load_words(target), rules)
    return SharedWords(words, load_chosen(source, words), load_chosen(target, words))


def choose_words(first: Sequence[str], second: Sequence[str], rules: WordRules) -> list[str]:
    """Take the shared words that pass the rules, in the first space's order of frequency."""
    known = frozenset(second)
    shared = [word for word in first if word in known and _may_be_shared(word, rules)]
    chosen = [word for word in shared[rules.skip :] if _is_taken(word, rules)][: rules.size]
    if not chosen:
        raise InputError(
            f"the spaces share {len(shared)} words, but none is left after skip {rules.skip}, "
            f"letters {rules.letters}, alphabetic {str(rules.alphabetic).lower()}: relax these rules"
        )
    return chosen


def _may_be_shared(word: str, rules: WordRules) -> bool:
    """Whether a word counts among the shared ones, of which the most frequent are skipped."""
    return not rules.lowercase or word == word.lower()


def _is_taken(word: str, rules: WordRules) -> bool:
    return len(word) >= rules.letters and (not rules.alphabetic or bool(LETTERS.fullmatch(word)))
