"""Words shared by two spaces that are worth comparing."""

from __future__ import annotations

import regex

from xstitch.core.errors import InputError
from xstitch.spaces.settings.search import WordRules
from xstitch.vectors.table import Vectors

LETTERS = regex.compile(r"\p{L}[\p{L}\p{M}]*")  # with vowel signs and accents, which str.isalpha refuses


def choose_words(first: Vectors, second: Vectors, rules: WordRules) -> list[str]:
    """Take the shared words that pass the rules, in the first space's order of frequency."""
    shared = [word for word in first.words if word in second.index and _may_be_shared(word, rules)]
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
