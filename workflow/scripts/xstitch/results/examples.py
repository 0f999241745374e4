"""Examples of right and wrong answers, with the words that the model does not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc
from tokenizers import Tokenizer

SHOWN = 10
LONGEST = 600  # characters of a text
KNOWN, COMPOSED, UNKNOWN = "", "composed", "unknown"


@dataclass(frozen=True)
class Piece:
    """A part of a text: a word that has a vector, or none, or what is between words."""

    text: str
    state: str = KNOWN


@dataclass(frozen=True)
class Example:
    """A text with the right label and the model's answer."""

    label: str
    predicted: str
    pieces: Sequence[Piece]

    def words(self, state: str) -> list[str]:
        """The different words of a state."""
        return list(dict.fromkeys(piece.text for piece in self.pieces if piece.state == state))


def examples(
    predictions: pa.Table, texts: Mapping[str, str], tokenizer: Tokenizer, unknown: str
) -> dict[str, list[Example]]:
    """Choose right and wrong answers of the first seed; one of each label before a second of any."""
    first = pc.min(predictions.column("seed"))
    rows = predictions.filter(pc.equal(predictions.column("seed"), first)).to_pylist()
    chosen = {
        "right": [row for row in rows if row["label"] == row["predicted"]],
        "wrong": [row for row in rows if row["label"] != row["predicted"]],
    }
    return {
        name: [
            Example(row["label"], row["predicted"], pieces(texts[row["id"]], tokenizer, unknown))
            for row in by_turns(found)[:SHOWN]
        ]
        for name, found in chosen.items()
    }


def by_turns(rows: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Order answers so that labels take turns, each label's in the order of their ids."""
    ordered = sorted(rows, key=lambda row: (row["label"], row["id"]))
    numbered = [
        (turn, row)
        for _, group in groupby(ordered, key=lambda row: row["label"])
        for turn, row in enumerate(group)
    ]
    return [row for turn, row in sorted(numbered, key=lambda pair: pair[0])]


def pieces(text: str, tokenizer: Tokenizer, unknown: str) -> list[Piece]:
    """Cut a text into words and what is between them, and say which words have no vector.

    Such a word is composed of shorter ones that have or, if that is impossible, unknown to the model.
    """
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
    encoded = tokenizer.encode(text, add_special_tokens=False)
    tokens = zip(encoded.word_ids, encoded.tokens, encoded.offsets, strict=True)
    found, end = [], 0
    for _, group in groupby(tokens, key=lambda token: token[0]):
        _, parts, spans = zip(*group, strict=True)
        start, stop = spans[0][0], spans[-1][1]
        found += [Piece(text[end:start])] if start > end else []
        found.append(Piece(text[start:stop], _state(text[start:stop], parts, unknown)))
        end = stop
    return [*found, Piece(text[end:])] if end < len(text) else found


def _state(word: str, tokens: Sequence[str], unknown: str) -> str:
    """Whether a word has a vector; marks are not words."""
    if not any(map(str.isalnum, word)):
        return KNOWN
    return UNKNOWN if unknown in tokens else COMPOSED if len(tokens) > 1 else KNOWN
