"""Words shared by two spaces that are worth comparing."""

from __future__ import annotations

from dataclasses import dataclass

from xstitch.core.errors import InputError
from xstitch.vectors.table import Vectors


@dataclass(frozen=True)
class WordRules:
    """Which shared words are taken; the defaults are bootstrap's."""

    skip: int = 400  # most frequent shared words that are left out: function words, punctuation
    letters: int = 4  # minimum length of a word
    alphabetic: bool = True  # only words made of letters
    size: int | None = 20_000  # maximum number of words; None: all

    def __post_init__(self) -> None:
        if self.skip < 0 or self.letters < 0 or (self.size is not None and self.size < 1):
            raise InputError("words: skip and letters must be at least 0, size at least 1 or null")


def choose_words(first: Vectors, second: Vectors, rules: WordRules) -> list[str]:
    """Take the shared words that pass the rules, in the first space's order of frequency."""
    shared = [word for word in first.words if word in second.index]
    chosen = [word for word in shared[rules.skip :] if _is_taken(word, rules)][: rules.size]
    if not chosen:
        raise InputError(
            f"the spaces share {len(shared)} words, but none is left after skip {rules.skip}, "
            f"letters {rules.letters}, alphabetic {str(rules.alphabetic).lower()}: relax these rules"
        )
    return chosen


def _is_taken(word: str, rules: WordRules) -> bool:
    return len(word) >= rules.letters and (word.isalpha() or not rules.alphabetic)
