"""Stop words: source words that are too grammatical to be anchors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from stopwords import LanguageNotAvailable, get_stopwords

from xstitch.core.errors import InputError


def stop_words(setting: str | int | Sequence[str], language: str, frequent: Iterable[str]) -> frozenset[str]:
    """Look up what an anchors' key `stop_words` stands for.

    It is `package` (the list that the package `stopwords` has of a language), a number (so many of the
    words in `frequent`, most frequent first: for languages that no list knows), or the words themselves.
    """
    if isinstance(setting, int):
        return frozenset(islice(frequent, setting))
    if setting == "package":
        return _listed(language)
    return frozenset(setting)


def _listed(language: str) -> frozenset[str]:
    try:
        words = get_stopwords(language)
    except LanguageNotAvailable as problem:
        raise InputError(
            f"anchors: stop_words: the package has no list of {language!r}; "
            "give the words, or a number: so many of the most frequent ones"
        ) from problem
    return frozenset(filter(None, words))  # the package's lists end in an empty line
