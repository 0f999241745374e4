"""Treebanks: parts of speech in CoNLL-U, all languages in the archive of Universal Dependencies 2.5."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xstitch.sources.world.concepts import Pools
from xstitch.sources.world.corpora import draw_sentences
from xstitch.sources.world.lexicon import Lexicon
from xstitch.sources.world.packing import tar_bytes
from xstitch.sources.world.settings import WorldSettings
from xstitch.sources.world.streams import stream
from xstitch.sources.world.tagged import FUNCTION_TAGS, POS_TAGS, Token, tagged_lexicon, text_of, write_tagged

ROOT = "ud-treebanks-v2.5"
SPLITS = ("train", "dev", "test")


def treebanks_bytes(settings: WorldSettings, pools: Pools, lexicons: dict[str, Lexicon]) -> bytes:
    """Build the archive."""
    return tar_bytes(dict(_files(settings, pools, lexicons)))


def _files(
    settings: WorldSettings, pools: Pools, lexicons: dict[str, Lexicon]
) -> Iterator[tuple[str, bytes]]:
    """Write a treebank per language and, for the last one, a second treebank with only a test split."""
    for code, lexicon in lexicons.items():
        folder = f"{ROOT}/UD_{code.title()}"
        for split in SPLITS:
            sentences = _sentences(settings, pools, lexicon, "World", split)
            yield f"{folder}-World/{code}_world-ud-{split}.conllu", _conllu(sentences, f"{code}-{split}")
    sentences = _sentences(settings, pools, lexicon, "PUD", "test")
    yield f"{folder}-PUD/{code}_pud-ud-test.conllu", _conllu(sentences, f"{code}-pud")


def _sentences(
    settings: WorldSettings, pools: Pools, lexicon: Lexicon, treebank: str, split: str
) -> list[list[Token]]:
    rng = stream(settings.seed, "treebank", treebank, lexicon.code, split)
    clauses, lengths = draw_sentences(pools, rng, np.arange(getattr(settings.treebanks, split)))
    pos = pools.concepts.pos.tolist()
    tagged = tagged_lexicon(lexicon, lambda concept: POS_TAGS[pos[concept]], FUNCTION_TAGS.__getitem__)
    return write_tagged(tagged, clauses, lengths, rng, lambda word: "NUM" if word.isdigit() else "PUNCT")


def _conllu(sentences: list[list[Token]], name: str) -> bytes:
    """Write ten columns; the syntax is a mere chain, because nothing reads it."""
    lines = []
    for number, tokens in enumerate(sentences, start=1):
        lines += [f"# sent_id = {name}-{number}", f"# text = {text_of(tokens)}"]
        for index, (word, tag) in enumerate(tokens, start=1):
            relation = "root" if index == 1 else "dep"
            lines.append(f"{index}\t{word}\t{word.lower()}\t{tag}\t_\t_\t{index - 1}\t{relation}\t_\t_")
        lines.append("")
    return "".join(line + "\n" for line in lines).encode()
