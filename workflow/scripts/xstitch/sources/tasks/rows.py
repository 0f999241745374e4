"""Rows of tasks: what readers of all formats yield, and their columns in Parquet files."""

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
    """Two texts and the label of the pair."""

    id: str
    label: str
    text: str
    second: str


class Sentence(NamedTuple):
    """Words and their tags."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


class SentenceRow(NamedTuple):
    """A sentence's number, its words and their tags."""

    id: str
    words: list[str]
    tags: list[str]


def group_sentences(tokens: Iterable[Token | None], path: str | Path) -> Iterator[Sentence]:
    """Group tokens into sentences, each ended by None; refuse a file without any."""
    return some_rows(_sentences(tokens), path, "sentence")


def _sentences(tokens: Iterable[Token | None]) -> Iterator[Sentence]:
    sentence: list[Token] = []
    for token in tokens:
        if token is not None:
            sentence.append(token)
        elif sentence:
            yield Sentence(*zip(*sentence, strict=True))
            sentence = []
    if sentence:
        yield Sentence(*zip(*sentence, strict=True))


def sentence_rows(sentences: Iterable[Sentence]) -> Iterator[SentenceRow]:
    """Number sentences from 1."""
    for number, (words, tags) in enumerate(sentences, start=1):
        yield SentenceRow(str(number), list(words), list(tags))


def sentences_of(table: pa.Table) -> list[Sentence]:
    """Turn rows back into sentences."""
    return [Sentence(tuple(row["words"]), tuple(row["tags"])) for row in table.to_pylist()]


def with_unique_ids(rows: Iterable[tuple]) -> Iterator[tuple]:
    """Number repeated ids, as in `x`, `x#2`: TyDiQA repeats some, and predictions are matched by id."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row.id] += 1
        yield row if counts[row.id] == 1 else row._replace(id=f"{row.id}#{counts[row.id]}")


def check_label(label: str, legal: Sequence[str], location: str, noun: str = "label") -> str:
    """Return a legal label; refuse any other, naming its location."""
    if label not in legal:
        raise InputError(f"{location}: {noun} {label[:60]!r} is not one of {', '.join(legal)}; correct it")
    return label


def sampled(examples: Iterable[Row], size: int | None, seed: int) -> Iterator[Row]:
    """Draw `size` examples uniformly and keep their order, with no more than these in memory; None: all.

    Not the first ones, because corpora are sorted by label or book. Not a quota per label: uniform draws keep
    the label distribution, and need no second pass.
    """
    if size is None:
        yield from examples
        return
    random = np.random.default_rng(seed)
    drawn: list[tuple[int, Row]] = []
    for number, example in enumerate(examples):
        if number < size:
            drawn.append((number, example))
        # Reservoir sampling: the n-th example replaces a drawn one with probability size / n.
        elif (index := int(random.integers(number + 1))) < size:
            drawn[index] = (number, example)
    yield from (example for _, example in sorted(drawn))
