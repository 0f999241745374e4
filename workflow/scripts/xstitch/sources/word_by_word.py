"""Texts of one language written with the words of another, by a lexicon: one word for one word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.sources.words import unicode_words


def best_translations(lexicon: pa.Table, words: Sequence[str], fold: bool) -> dict[str, str]:
    """Choose one translation for every source word of a lexicon: the one that comes first in `words`.

    `words` are those with vectors, frequent ones first; with `fold` they are lower-cased, and so are the
    translations. Source words of which no translation is among them are left out.
    """
    rows = {word: row for row, word in reversed(list(enumerate(words)))}
    best: dict[str, str] = {}
    for source, target in zip(
        *(lexicon.column(name).to_pylist() for name in ("source", "target")), strict=True
    ):
        target = target.lower() if fold else target
        if target in rows and (source not in best or rows[target] < rows[best[source]]):
            best[source] = target
    if not best:
        raise InputError(
            f"none of {len(lexicon)} lexicon pairs has a target word with a vector; use another lexicon"
        )
    return best


def word_by_word(text: str, translations: Mapping[str, str]) -> str:
    """Replace every word by its translation; words without one, and punctuation, are left out.

    A word is looked up as it is written, then in lower case.
    """
    found = (translations.get(word) or translations.get(word.lower()) for word in unicode_words(text))
    return " ".join(filter(None, found))
