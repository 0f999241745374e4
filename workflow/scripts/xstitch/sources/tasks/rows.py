"""Rows of tasks: what readers yield, whatever the format, and how it lies in Parquet files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.core.lines import some_rows

Row = TypeVar("Row")
Token = tuple[str, str]  # word, tag
TEXT, TEXTS = pa.string(), pa.list_(pa.string())
SCHEMAS = {
    "texts": pa.schema([("id", TEXT), ("label", TEXT), ("text", TEXT)]),
    "pairs": pa.schema([("id", TEXT), ("label", TEXT), ("text", TEXT), ("second", TEXT)]),
    "questions": pa.schema(
        [
            *((name, TEXT) for name in ("id", "question", "context")),
            ("answers", TEXTS),
            ("starts", pa.list_(pa.int64())),
        ]
    ),
    "sentences": pa.schema([("id", TEXT), ("words", TEXTS), ("tags", TEXTS)]),
    "translations": pa.schema([("id", TEXT), ("sentence", TEXT), ("english", TEXT)]),
}


class Example(NamedTuple):
    """One labelled text."""

    id: str
    label: str
    text: str


class LabelledPair(NamedTuple):
    """Two texts and the label of both together."""

    id: str
    label: str
    text: str
    second: str


class Sentence(NamedTuple):
    """Words and the tag of each."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


class SentenceRow(NamedTuple):
    """A sentence by its number, its words and their tags."""

    id: str
    words: list[str]
    tags: list[str]


def group_sentences(tokens: Iterable[Token | None], path: str | Path) -> Iterator[Sentence]:
    """Join tokens to sentences, which a None ends; refuse a file without any."""
    return some_rows(_sentences(tokens), path, "sentence")


def _sentences(tokens: Iterable[Token | None]) -> Iterator[Sentence]:
    held: list[Token] = []
    for token in tokens:
        if token is not None:
            held.append(token)
        elif held:
            yield Sentence(*zip(*held, strict=True))
            held = []
    if held:
        yield Sentence(*zip(*held, strict=True))


def sentence_rows(sentences: Iterable[Sentence]) -> Iterator[SentenceRow]:
    """Number sentences from 1."""
    for number, (words, tags) in enumerate(sentences, start=1):
        yield SentenceRow(str(number), list(words), list(tags))


def sentences_of(table: pa.Table) -> list[Sentence]:
    """Turn rows back into sentences."""
    return [Sentence(tuple(row["words"]), tuple(row["tags"])) for row in table.to_pylist()]


def with_unique_ids(rows: Iterable[tuple]) -> Iterator[tuple]:
    """Tell rows of one id apart by numbers, as in `x`, `x#2`: TyDiQA's repeat, and predictions go by ids."""
    seen: Counter[str] = Counter()
    for row in rows:
        seen[row.id] += 1
        yield row if seen[row.id] == 1 else row._replace(id=f"{row.id}#{seen[row.id]}")


def check_label(label: str, legal: Sequence[str], place: str, noun: str = "label") -> str:
    """Return a label that is known; refuse another, naming its place."""
    if label not in legal:
        raise InputError(f"{place}: {noun} {label[:60]!r} is not one of {', '.join(legal)}; correct it")
    return label


def sampled(examples: Iterable[Row], size: int | None, seed: int) -> Iterator[Row]:
    """Draw `size` examples uniformly, in their own order, holding no more than these; None: all of them.

    Not the first ones: corpora come sorted, by label or by book. Not so many of each label: what is drawn
    then has the shares of the whole, and readers need no second pass.
    """
    if size is None:
        yield from examples
        return
    random = np.random.default_rng(seed)
    drawn: list[tuple[int, Row]] = []
    for number, example in enumerate(examples):
        if number < size:
            drawn.append((number, example))
        # Reservoir sampling: the n-th example replaces one of the drawn with probability size / n.
        elif (place := int(random.integers(number + 1))) < size:
            drawn[place] = (number, example)
    yield from (example for _, example in sorted(drawn))
