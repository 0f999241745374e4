"""Sentences and words of running text, by the tool that a language needs."""

from __future__ import annotations

import re
from collections.abc import Callable

from xstitch.errors import InputError

# A sentence ends at its mark and the space behind it, or at an ideographic mark, which needs no space.
SENTENCE_END = re.compile(r"(?<=[.!?…။።])\s+|(?<=[。！？])\s*")
TOKEN = re.compile(r"\w+(?:['’‑-]\w+)*|[^\w\s]")

Tokenizer = Callable[[str], list[str]]


def split_sentences(paragraph: str) -> list[str]:
    """Split a paragraph at sentence marks."""
    return [sentence for sentence in SENTENCE_END.split(paragraph) if sentence and not sentence.isspace()]


def tokenizer(tool: str) -> Tokenizer:
    """Return the tokenizer named in languages.tsv; one that is not installed is refused at once."""
    if tool == "unicode":
        return TOKEN.findall
    if tool == "jieba":
        return _jieba()
    raise InputError(f"languages.tsv: no tokenizer {tool!r}; legal: unicode, jieba")


def _jieba() -> Tokenizer:
    try:
        import jieba
    except ImportError as problem:
        raise InputError("Chinese needs jieba: pip install -r requirements/scripts.txt") from problem
    jieba.setLogLevel("WARNING")
    return lambda text: [token for token in jieba.cut(text) if not token.isspace()]


def spaced(text: str, tool: str) -> str:
    """Put spaces between words where a script writes none; other text stays as it is."""
    return text if tool == "unicode" else " ".join(tokenizer(tool)(text))
