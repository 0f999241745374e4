"""Sentences of tagged words: the writer writes `word|TAG`, and the tags are split off again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from xstitch.sources.world.concepts import ADJECTIVE, ADVERB, NAME, NOUN, VERB
from xstitch.sources.world.grammar import Writer
from xstitch.sources.world.lexicon import Forms, Lexicon
from xstitch.sources.world.meanings import Clauses

MARK = "|"  # occurs in no word of any language
POS_TAGS = {NOUN: "NOUN", VERB: "VERB", ADJECTIVE: "ADJ", ADVERB: "ADV", NAME: "PROPN"}
FUNCTION_TAGS = {
    **dict.fromkeys(("the", "a", "these", "many"), "DET"),
    **dict.fromkeys(("and", "but"), "CCONJ"),
    "because": "SCONJ",
    **dict.fromkeys(("in", "on", "with", "from", "to", "under"), "ADP"),
    **dict.fromkeys(("i", "you", "he", "she", "we", "they"), "PRON"),
    **dict.fromkeys(("is", "should"), "AUX"),
    **dict.fromkeys(("not", "whether"), "PART"),
    **dict.fromkeys(("then", "now"), "ADV"),
}
Token = tuple[str, str]  # word, tag


def tagged_lexicon(
    lexicon: Lexicon, concept_tag: Callable[[int], str], function_tag: Callable[[str], str]
) -> Lexicon:
    """Add a tag to every word of a lexicon."""
    words = [
        [mark_forms(forms, concept_tag(concept)) for forms in synonyms]
        for concept, synonyms in enumerate(lexicon.words)
    ]
    functions = {name: f"{word}{MARK}{function_tag(name)}" for name, word in lexicon.functions.items()}
    return replace(lexicon, words=words, functions=functions)


def mark_forms(forms: Forms, tag: str) -> Forms:
    """Add a tag to all forms of a word."""
    return tuple(f"{form}{MARK}{tag}" for form in forms)


def write_tagged(
    lexicon: Lexicon,
    clauses: Clauses,
    lengths: np.ndarray,
    rng: np.random.Generator,
    untagged: Callable[[str], str],
) -> list[list[Token]]:
    """Write sentences with a tagged lexicon; `untagged` returns the tags of numbers and punctuation."""
    return [
        [_token(word, untagged) for word in sentence.split(" ")]
        for sentence in Writer(lexicon).sentences(clauses, lengths, rng)
    ]


def _token(word: str, untagged: Callable[[str], str]) -> Token:
    form, mark, tag = word.partition(MARK)
    return (form, tag) if mark else (form, untagged(form))


def text_of(tokens: Sequence[Token]) -> str:
    """Join the words of a sentence."""
    return " ".join(word for word, _ in tokens)
