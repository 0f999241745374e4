"""Words of a sentence by Unicode's properties of characters, the same for every script."""

from __future__ import annotations

from collections.abc import Callable
from unicodedata import normalize

import regex

Splitter = Callable[[str], list[str]]

ZERO_WIDTH_SPACE = "\u200b"  # separates words of Khmer, Thai and Burmese
UNWRITTEN = regex.compile(r"\p{Word_Break=Format}")  # soft hyphens and marks of direction
# Vowel signs, tones and accents are marks; joiners (U+200C, U+200D) change the shape of letters.
BEGINNING = r"[\p{L}\p{M}\p{N}\p{Pc}]"
PIECE = rf"{BEGINNING}[\p{{L}}\p{{M}}\p{{N}}\p{{Pc}}\u200c\u200d]*"
# What may stand between two pieces of a word. Unicode's default word boundaries (UAX 29) allow these, except
# for hyphens; they also allow colons and full stops between letters, where mostly a space is missing.
JOINTS = "|".join(
    (
        "['’‘\N{MIDDLE DOT}\N{HYPHENATION POINT}]",
        "[-\N{HYPHEN}\N{NON-BREAKING HYPHEN}]",
        r'(?<=\p{Hebrew}\p{M}*)["\u05f3\u05f4](?=\p{Hebrew})',  # geresh and gershayim
        r"(?<=\p{Nd})[.,\N{ARABIC DECIMAL SEPARATOR}\N{ARABIC THOUSANDS SEPARATOR}](?=\p{Nd})",
    )
)
# Other tokens are what a reader takes for one character: a mark of punctuation, a flag, a family.
OTHER = r"(?![\s\p{Cc}\p{Default_Ignorable_Code_Point}])\X"
TOKEN = regex.compile(rf"{PIECE}(?:(?:{JOINTS}){PIECE})*|{OTHER}")


def readable(text: str) -> str:
    """Bring text into the form in which lexica and vectors have words: accents are parts of their letters."""
    return normalize("NFC", UNWRITTEN.sub("", text)).replace(ZERO_WIDTH_SPACE, " ")


def unicode_words(text: str) -> list[str]:
    """Split a sentence into words and other visible characters."""
    return TOKEN.findall(readable(text))
