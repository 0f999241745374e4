"""Parallel sentences: Tatoeba's test sets and an OPUS corpus in Moses format."""

from __future__ import annotations

import numpy as np

from xstitch.sources.world.concepts import Pools
from xstitch.sources.world.corpora import draw_sentences
from xstitch.sources.world.grammar import Writer
from xstitch.sources.world.lexicon import Lexicon
from xstitch.sources.world.packing import zip_bytes
from xstitch.sources.world.settings import WorldSettings
from xstitch.sources.world.streams import stream

README = "Sentences of the mini world, in Moses' format: line N of one file translates line N of the other.\n"


def tatoeba_bytes(
    settings: WorldSettings, pools: Pools, pivot: Lexicon, other: Lexicon
) -> tuple[bytes, bytes]:
    """Write test sentences in a language, and the same in the pivot."""
    texts = _translations(settings, pools, [other, pivot], f"tatoeba/{other.code}", settings.tatoeba)
    return tuple(map(_text, texts))


def moses_bytes(settings: WorldSettings, pools: Pools, pivot: Lexicon, other: Lexicon, corpus: str) -> bytes:
    """Build a corpus of two languages; file names have their codes in alphabetical order."""
    first, second = sorted((pivot, other), key=lambda lexicon: lexicon.code)
    texts = _translations(settings, pools, [first, second], f"moses/{other.code}", settings.parallel)
    stem = f"{corpus}.{first.code}-{second.code}"
    files = {f"{stem}.{side.code}": _text(lines) for side, lines in zip((first, second), texts, strict=True)}
    return zip_bytes({"README": README.encode(), **files})


def _translations(
    settings: WorldSettings, pools: Pools, sides: list[Lexicon], name: str, count: int
) -> list[list[str]]:
    """Write the same sentences in several languages; one stream for all, or conjunctions would differ."""
    clauses, lengths = draw_sentences(pools, stream(settings.seed, name), np.arange(count))
    return [Writer(side).sentences(clauses, lengths, stream(settings.seed, name, "words")) for side in sides]


def _text(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()
