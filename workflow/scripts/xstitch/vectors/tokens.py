"""What vocabularies tell of themselves: their special tokens, and whether they know capitals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xstitch.core.files import read_json

LOWER_CASED_SHARE = 0.99  # vectors with fewer capitalised words than this were trained on lower-cased text


def special_words(encoder: Path) -> list[str]:
    """List the special tokens of any encoder folder, whatever their roles."""
    added = read_json(encoder / "tokenizer.json").get("added_tokens", [])
    return [token["content"] for token in added if token["special"]]


def lower_cased(words: Sequence[str]) -> bool:
    """Tell whether the vectors were trained on lower-cased text, so that input must be lower-cased too."""
    same = sum(word == word.lower() for word in words)
    return same >= LOWER_CASED_SHARE * len(words)
