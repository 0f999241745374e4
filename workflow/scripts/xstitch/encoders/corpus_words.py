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
ABSENT = -1  # number of a word that is not in the vocabulary


@dataclass(frozen=True)
class CorpusWords:
    """A vocabulary in order of frequency, and a corpus as numbers of its words.

    Row i of `ids` has the words of sentence i, ABSENT for those not in the vocabulary; `paragraphs[i]` is the
    number of its paragraph.
    """

    vocabulary: list[str]
    counts: np.ndarray
    ids: Ragged
    paragraphs: np.ndarray


def read_words(path: Path, min_count: int, max_words: int) -> CorpusWords:
    """Count lower-cased words, number the frequent ones and translate the corpus into these numbers."""
    lengths, chunks, paragraphs = [], [], []
    for table in _tables(path):
        number, words = split_words(pa.array([text.lower() for text in table.column("text").to_pylist()]))
        lengths.append(number)
        chunks.append(words.dictionary_encode())
        paragraphs.append(np.stack([table.column(name).to_numpy() for name in COLUMNS[:2]]))
    if not chunks:
        raise InputError(f"{path}: the corpus contains no sentences")
    merged = pa.chunked_array(chunks).unify_dictionaries().chunks
    flat = np.concatenate([chunk.indices.to_numpy() for chunk in merged])
    chosen, counts = _frequent(np.bincount(flat, minlength=len(merged[0].dictionary)), min_count, max_words)
    if not len(chosen):
        raise InputError(f"{path}: no word occurs {min_count} times; lower min_count or add text")
    numbers = np.full(len(merged[0].dictionary), ABSENT, dtype=np.int32)
    numbers[chosen] = np.arange(len(chosen), dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    vocabulary = merged[0].dictionary.take(pa.array(chosen)).to_pylist()
    return CorpusWords(vocabulary, counts, Ragged(numbers[flat], offsets), _numbered(np.hstack(paragraphs)))


def split_words(texts: pa.Array) -> tuple[np.ndarray, pa.Array]:
    """Split texts at white space; return the number of words in each, and all words in order."""
    lists = pc.ascii_split_whitespace(texts)
    words = lists.flatten()
    real = pc.not_equal(words, "")  # arrow turns spaces at the ends into empty words
    rows = pc.list_parent_indices(lists).filter(real).to_numpy()
    return np.bincount(rows, minlength=len(texts)), words.filter(real)


def _tables(path: Path) -> Iterator[pa.RecordBatch]:
    """Stream the columns we need."""
    try:
        file = pq.ParquetFile(path)
        file.schema_arrow.empty_table().select(COLUMNS)  # iter_batches would silently skip a missing one
        yield from file.iter_batches(ROW_GROUP, columns=COLUMNS)
    except (pa.ArrowException, OSError, KeyError) as problem:
        raise not_parquet(path, COLUMNS, problem) from problem


def _frequent(counts: np.ndarray, min_count: int, max_words: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose the words to keep, most frequent first, ties by first occurrence; return their counts, too."""
    order = np.argsort(-counts, kind="stable")[:max_words]
    order = order[counts[order] >= min_count]
    return order, counts[order]


def _numbered(paragraphs: np.ndarray) -> np.ndarray:
    """Number paragraphs from 0: a new one begins where document or paragraph changes."""
    new = (np.diff(paragraphs, axis=1) != 0).any(axis=0)
    return np.concatenate([[0], np.cumsum(new)])
