"""Translations of words by a lexicon, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from xstitch.sources.words import TOKEN, readable

Translations = Mapping[str, Sequence[str]]


def translations(
    lexicon: pa.Table,
    words: str,
    others: str,
    known: Iterable[str],
    lower_case: bool = False,
    only_known: bool = False,
) -> dict[str, list[str]]:
    """Find the translations of every word of a lexicon's side `words` on its side `others`, best first.

    The highest score wins, then the word that comes first in `known`, a vocabulary by frequency, then the
    lexicon's order. `lower_case` folds the words, for vocabularies of lower-cased text; `only_known` leaves
    out translations that the vocabulary does not have.
    """
    rank = {word: number for number, word in enumerate(known)}
    columns = (lexicon.column(name).to_pylist() for name in (words, others, "score"))
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for word, other, score in zip(*columns, strict=True):
        place = (-score, rank.get(other, rank.get(other.lower(), len(rank))))
        if only_known and place[1] == len(rank):
            continue
        listed = found.setdefault(word.lower() if lower_case else word, {})
        listed[other] = min(place, listed.get(other, place))
    return {word: sorted(listed, key=listed.get) for word, listed in found.items()}


def translated_text(text: str, best: Mapping[str, str]) -> str:
    """Replace every word of a text by its best translation; words without one, and marks, are kept.

    A capitalised word that the lexicon does not have is looked up in lower case.
    """
    return TOKEN.sub(lambda found: _best(found[0], best), readable(text))


def _best(word: str, best: Mapping[str, str]) -> str:
    return best.get(word) or best.get(word.lower(), word)


def best_of(found: Translations) -> dict[str, str]:
    """Keep the best translation of every word."""
    return {word: listed[0] for word, listed in found.items()}
