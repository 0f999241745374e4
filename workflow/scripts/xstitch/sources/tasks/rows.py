"""Rows of tasks as they lie in Parquet files, whatever format they came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from xstitch.core.lines import Sentence

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


class SentenceRow(NamedTuple):
    """A sentence by its number, its words and their tags."""

    id: str
    words: list[str]
    tags: list[str]


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
