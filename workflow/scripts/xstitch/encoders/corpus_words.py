"""The words of a corpus as numbers: no Python loop over words, no sentence kept as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from xstitch.core.errors import InputError
from xstitch.core.parquet import ROW_GROUP, not_parquet
from xstitch.training.batches import Ragged

COLUMNS = ["document", "paragraph", "text"]
ABSENT = -1  # the number of a word that is not in the vocabulary


@dataclass(frozen=True)
class CorpusWords:
    """A vocabulary in order of frequency, and a corpus in its numbers.

    Row i of `ids` has the words of sentence i, ABSENT where they are not in the vocabulary;
    `paragraphs[i]` numbers the paragraph it stands in.
    """

    vocabulary: list[str]
    counts: np.ndarray
    ids: Ragged
    paragraphs: np.ndarray


def read_words(path: Path, min_count: int, max_words: int) -> CorpusWords:
    """Count lower-cased words, number the frequent ones and write the corpus in these numbers."""
    lengths, chunks, places = [], [], []
    for table in _tables(path):
        number, words = split_words(pa.array([text.lower() for text in table.column("text").to_pylist()]))
        lengths.append(number)
        chunks.append(words.dictionary_encode())
        places.append(np.stack([table.column(name).to_numpy() for name in COLUMNS[:2]]))
    if not chunks:
        raise InputError(f"{path}: the corpus holds no sentence")
    merged = pa.chunked_array(chunks).unify_dictionaries().chunks
    flat = np.concatenate([chunk.indices.to_numpy() for chunk in merged])
    chosen, counts = _frequent(np.bincount(flat, minlength=len(merged[0].dictionary)), min_count, max_words)
    if not len(chosen):
        raise InputError(f"{path}: no word occurs {min_count} times; lower min_count or take more text")
    numbers = np.full(len(merged[0].dictionary), ABSENT, dtype=np.int32)
    numbers[chosen] = np.arange(len(chosen), dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    vocabulary = merged[0].dictionary.take(pa.array(chosen)).to_pylist()
    return CorpusWords(vocabulary, counts, Ragged(numbers[flat], offsets), _numbered(np.hstack(places)))


def split_words(texts: pa.Array) -> tuple[np.ndarray, pa.Array]:
    """Split texts at white space: the number of words of each, and all words one after the other."""
    lists = pc.ascii_split_whitespace(texts)
    words = lists.flatten()
    real = pc.not_equal(words, "")  # arrow makes empty words of spaces at the ends
    rows = pc.list_parent_indices(lists).filter(real).to_numpy()
    return np.bincount(rows, minlength=len(texts)), words.filter(real)


def _tables(path: Path) -> Iterator[pa.RecordBatch]:
    """Stream the columns that matter."""
    try:
        file = pq.ParquetFile(path)
        file.schema_arrow.empty_table().select(COLUMNS)  # iter_batches would pass over a missing one
        yield from file.iter_batches(ROW_GROUP, columns=COLUMNS)
    except (pa.ArrowException, OSError, KeyError) as problem:
        raise not_parquet(path, COLUMNS, problem) from problem


def _frequent(counts: np.ndarray, min_count: int, max_words: int) -> tuple[np.ndarray, np.ndarray]:
    """The words to keep, most frequent first, of equals the one seen first; and their counts."""
    order = np.argsort(-counts, kind="stable")[:max_words]
    order = order[counts[order] >= min_count]
    return order, counts[order]


def _numbered(places: np.ndarray) -> np.ndarray:
    """Number paragraphs from 0: a new one begins where document or paragraph changes."""
    new = (np.diff(places, axis=1) != 0).any(axis=0)
    return np.concatenate([[0], np.cumsum(new)])
