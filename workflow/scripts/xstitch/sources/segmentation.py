"""Splitting running text into sentences and words, with the tool that the language needs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import regex

from xstitch.core.errors import InputError
from xstitch.sources.words import Splitter, readable, unicode_words

LOG = logging.getLogger("xstitch")
TOOLS = ("unicode", "udpipe", "icu", "jieba", "fugashi")

# A sentence ends at a mark followed by space, or at an ideographic mark, which needs no space.
SENTENCE_END = regex.compile(r"(?<=[\p{Sentence_Terminal}…])\s+|(?<=[。！？])\s*")
# Scripts without spaces between words for which ICU has dictionaries: Thai, Lao, Myanmar, Khmer.
UNSPACED = regex.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")

INSTALL = "pip install -r requirements/scripts.txt"
PACKAGES = {
    "icu": "PyICU, compiled on the spot (Debian: apt install libicu-dev pkg-config g++)",
    "unidic_lite": "unidic-lite",
}
UDPIPE_MODELS = "https://hdl.handle.net/11234/1-3131"

Segmenter = Callable[[str], list[list[str]]]


def segmenter(
    tool: str, language: str, model: str | Path | None = None, contractions: str = "written"
) -> Segmenter:
    """Return a function that splits a paragraph into sentences of tokens; refuse a missing tool or model.

    Only UDPipe knows the words of a contraction: `contractions` is "written" (du) or "split" (de, le).
    """
    if tool == "udpipe":
        return _udpipe_segmenter(language, model, contractions)
    words = word_splitter(tool, language)
    sentences = split_sentences if tool == "unicode" else _sentence_splitter(tool, language)
    return lambda paragraph: [
        tokens for sentence in sentences(readable(paragraph)) if (tokens := words(sentence))
    ]


def split_sentences(paragraph: str) -> list[str]:
    """Split a paragraph at sentence marks."""
    return [sentence for sentence in SENTENCE_END.split(paragraph) if sentence and not sentence.isspace()]


@cache
def word_splitter(tool: str, language: str = "") -> Splitter:
    """Return a function that splits a sentence into tokens; refuse a tool that is not installed."""
    if tool == "unicode":
        return unicode_words
    if tool == "icu":
        return _icu_splitter("createWordInstance", language)
    if tool == "jieba":
        return _jieba_splitter()
    if tool == "fugashi":
        return _fugashi_splitter()
    raise _unknown(tool)


def spaced(text: str, tool: str) -> str:
    """Put spaces between words in scripts that have none; leave other text as it is."""
    if tool not in TOOLS:
        raise _unknown(tool)
    if tool in ("jieba", "fugashi") or (tool == "icu" and UNSPACED.search(text)):
        return " ".join(word_splitter(tool)(readable(text)))
    return text


def _unknown(tool: str) -> InputError:
    return InputError(f"languages.tsv: no tokenizer {tool!r}; legal: {', '.join(TOOLS)}")


def _load(module: str) -> Any:
    """Import a package that only some languages need."""
    try:
        return import_module(module)
    except ImportError as problem:
        package = PACKAGES.get(module, module)
        raise InputError(f"this language needs the package {package}: {INSTALL}") from problem


def _sentence_splitter(tool: str, language: str) -> Splitter:
    """Return ICU's sentence splitter; Chinese and Japanese, with unambiguous marks, can do without ICU."""
    try:
        return _icu_splitter("createSentenceInstance", language)
    except InputError:
        if tool == "icu":
            raise
        LOG.warning("PyICU is not installed: sentences of %s are split at punctuation marks", language)
        return split_sentences


def _icu_splitter(kind: str, language: str) -> Splitter:
    icu = _load("icu")
    iterator = getattr(icu.BreakIterator, kind)(icu.Locale(language))

    def split(text: str) -> list[str]:
        units = icu.UnicodeString(text)
        iterator.setText(units)
        ends = [0, *iterator]
        if len(units) == len(text):
            parts = [text[start:end] for start, end in pairwise(ends)]
        else:  # ICU counts UTF-16 units, and rare characters have two
            parts = [str(units[start:end]) for start, end in pairwise(ends)]
        return [stripped for part in parts if (stripped := part.strip())]

    return split


def _jieba_splitter() -> Splitter:
    jieba = _load("jieba")
    jieba.setLogLevel("WARNING")
    return lambda text: [token for token in jieba.cut(text) if not token.isspace()]


def _fugashi_splitter() -> Splitter:
    fugashi = _load("fugashi")
    # Named, because another installed dictionary would give other words.
    folder = _load("unidic_lite").DICDIR
    tagger = fugashi.GenericTagger(f'-Owakati -d "{folder}" -r "{folder}/mecabrc"')
    return lambda text: tagger.parse(text).split()


def _udpipe_segmenter(language: str, model: str | Path | None, contractions: str) -> Segmenter:
    remedy = f"get one for {language} from {UDPIPE_MODELS}"
    if not model:
        raise InputError(f"config: udpipe: a folder with {language}.udpipe is needed; {remedy}")
    if not Path(model).is_file():
        raise InputError(f"{model}: no such UDPipe model; {remedy} and give it this name")
    udpipe = _load("ufal.udpipe")
    loaded = udpipe.Model.load(str(model))
    if loaded is None or loaded.newTokenizer(loaded.DEFAULT) is None:
        raise InputError(f"{model}: not a UDPipe model with a tokenizer; {remedy}")

    tokens = _split_tokens if contractions == "split" else _written_tokens

    def segment(paragraph: str) -> list[list[str]]:
        tokenizer, error = loaded.newTokenizer(loaded.DEFAULT), udpipe.ProcessingError()
        tokenizer.setText(readable(paragraph))
        sentence, sentences = udpipe.Sentence(), []
        while tokenizer.nextSentence(sentence, error):
            sentences.append(tokens(sentence))
        if error.occurred():
            raise InputError(f"{model}: UDPipe cannot segment {paragraph[:60]!r} ({error.message})")
        return sentences

    return segment


def _split_tokens(sentence: Any) -> list[str]:
    """List the words of a UDPipe sentence, as spaCy-UDPipe does, the tool of x2s: "du" is "de" and "le"."""
    return [word.form for word in list(sentence.words)[1:]]  # word 0 is the root


def _written_tokens(sentence: Any) -> list[str]:
    """List a UDPipe sentence's tokens as written: "du" stays, as dictionaries and encoders know it."""
    written = {token.idFirst: token for token in sentence.multiwordTokens}
    tokens, index, words = [], 1, sentence.words  # word 0 is the root
    while index < len(words):
        token = written.get(index)
        tokens.append(token.form if token else words[index].form)
        index = token.idLast + 1 if token else index + 1
    return tokens
