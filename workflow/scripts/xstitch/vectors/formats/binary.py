"""Word vectors in binary files: word2vec's rows of raw floats, and fastText's models with subwords."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.vectors.formats.rows import Rows
from xstitch.vectors.formats.stream import Source
from xstitch.vectors.formats.subwords import Ngrams, subword_means
from xstitch.vectors.formats.text import MOST_DIMENSIONS, parse_header
from xstitch.vectors.table import Vectors

LONGEST_WORD = 1 << 16
ROWS_AT_ONCE = 1_000
FASTTEXT_MAGIC = struct.pack("<i", 793712314)
NEWEST_VERSION = 12
# dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn, lrUpdateRate, t
ARGUMENTS = struct.Struct("<12id")
COUNTS = struct.Struct("<3iq")  # entries, words, labels, tokens in the corpus
SUPERVISED = 3
# In models with a magic number, this entry of fastText has no n-grams; in older ones it is like a word.
END_OF_SENTENCE = b"</s>"


def read_word2vec(source: Source, limit: int | None = None) -> Vectors:
    """Read word2vec's binary format: `rows dimensions`, then word, space, raw floats."""
    header = parse_header(source.stream.readline(100))
    if header is None or not 0 < header[1] <= MOST_DIMENSIONS:
        raise InputError(f"{source.name}: its header names no usable number of dimensions; get another file")
    rows = Rows(source.name, limit)
    for words, block in _word2vec_blocks(source, header[1] * 4):
        remaining = rows.remaining
        rows.add(words[:remaining], np.frombuffer(block, dtype="<f4").reshape(-1, header[1])[:remaining])
        if rows.remaining == 0:
            break
    return rows.vectors(header[0])


def _word2vec_blocks(source: Source, width: int) -> Iterator[tuple[list[bytes], bytes]]:
    """Yield the words and raw rows that each block of the file completes."""
    rest, count = b"", 0
    for block in source.blocks():
        rest += block
        words, parts, start = [], [], 0
        while (space := rest.find(b" ", start, start + LONGEST_WORD)) >= 0 and space + width < len(rest):
            # The original program ends rows with a line end, others do not.
            words.append(rest[start:space].lstrip(b"\n"))
            parts.append(rest[space + 1 : space + 1 + width])
            start = space + 1 + width
        if space < 0 and len(rest) - start > LONGEST_WORD:
            raise InputError(
                f"{source.name}: no word where row {count + len(words) + 1} begins; is it damaged, or its "
                "header wrong?"
            )
        rest, count = rest[start:], count + len(words)
        if words:
            yield words, b"".join(parts)
    if rest.strip(b"\n"):
        raise InputError(
            f"{source.name}: cut short in row {count + 1}, or its header names the wrong number of "
            "dimensions; download it again"
        )


@dataclass(frozen=True)
class FastText:
    """What precedes the matrix of a fastText model, and the mapped matrix."""

    dimensions: int
    words: list[bytes]
    ngrams: Ngrams
    matrix: np.ndarray


def is_fasttext(head: bytes) -> bool:
    """Whether a file begins like a fastText model; the oldest have no magic number, only settings."""
    if head.startswith(FASTTEXT_MAGIC):
        return True
    if len(head) < ARGUMENTS.size + COUNTS.size:
        return False
    return _plausible(ARGUMENTS.unpack_from(head), COUNTS.unpack_from(head, ARGUMENTS.size))


def _plausible(arguments: tuple, counts: tuple) -> bool:
    """Whether these numbers can be the settings and sizes of a model."""
    dim, ws, epoch, *_, loss, model, bucket, minn, maxn, _, t = arguments
    entries, words, labels, tokens = counts
    trained = 0 < ws <= 1000 and 0 < epoch <= 100_000 and 0 <= t <= 1 and tokens >= 0
    kinds = loss in (1, 2, 3, 4) and model in (1, 2, SUPERVISED)
    sizes = 0 < dim <= MOST_DIMENSIONS and bucket >= 0 and 0 <= minn <= 100 and 0 <= maxn <= 100
    return trained and kinds and sizes and min(words, labels) >= 0 and entries == words + labels


def read_fasttext(source: Source, limit: int | None = None) -> Vectors:
    """Read a fastText model's word vectors, each the mean of the vectors of the word and its n-grams.

    Not with fasttext, which refuses models without a magic number and cannot decode all words, nor with
    gensim, which loads the whole model: the file is mapped, and only the pages of the needed rows are read.
    """
    with source.on_disk() as file:
        # Closed when the last reference is gone; closing it by hand would fail while an error propagates.
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            model = _open_fasttext(data, source.name)
        except (struct.error, IndexError) as problem:
            raise InputError(f"{source.name}: cut short or not a fastText model; get it again") from problem
        return _fasttext_vectors(model, Rows(source.name, limit))


def _fasttext_vectors(model: FastText, rows: Rows) -> Vectors:
    count = len(model.words)
    with progress(None, "averaging subwords", count, "word") as bar:
        start = 0
        while start < count and rows.remaining != 0:
            words = model.words[start : start + min(ROWS_AT_ONCE, rows.remaining or ROWS_AT_ONCE)]
            vectors = _floats(model.matrix[start : start + len(words)])
            rows.add(
                words,
                subword_means(words, vectors, lambda b: _floats(model.matrix[count + b]), model.ngrams),
            )
            start += len(words)
            bar.update(len(words))
    return rows.vectors()


def _floats(rows: np.ndarray) -> np.ndarray:
    """Turn rows of bytes into rows of floats; the copy is aligned, the file is not."""
    return np.ascontiguousarray(rows).view("<f4")


def _open_fasttext(data: mmap.mmap, name: str) -> FastText:
    """Read settings and words, and locate the matrix."""
    magic = data[:4] == FASTTEXT_MAGIC
    version = struct.unpack_from("<i", data, 4)[0] if magic else 0
    if version > NEWEST_VERSION:
        raise InputError(f"{name}: fastText format {version} is unknown; export its vectors as .vec")
    offset = 8 if magic else 0
    arguments = ARGUMENTS.unpack_from(data, offset)
    offset += ARGUMENTS.size
    entries, count, *_ = counts = COUNTS.unpack_from(data, offset)
    offset += COUNTS.size
    if not _plausible(arguments, counts):
        raise IndexError("settings that no model has")
    if magic:
        pruned = struct.unpack_from("<q", data, offset)[0]
        offset += 8
        if pruned >= 0:
            raise _quantised(name)
    words, offset = _entries(data, offset, entries)
    if magic:
        if data[offset]:
            raise _quantised(name)
        offset += 1
    dimensions, model, bucket, shortest, longest = (arguments[i] for i in (0, 7, 8, 9, 10))
    # Supervised models up to version 11 were trained without n-grams, whatever they say.
    longest = 0 if model == SUPERVISED and version < NEWEST_VERSION else longest
    ngrams = Ngrams(shortest, longest, bucket if longest else 0, END_OF_SENTENCE if magic else None)
    matrix = _matrix(data, offset, dimensions, count + ngrams.buckets)
    return FastText(dimensions, words[:count], ngrams, matrix)


def _entries(data: mmap.mmap, offset: int, count: int) -> tuple[list[bytes], int]:
    """Read the dictionary: word, zero byte, frequency and kind of each entry."""
    words = []
    for _ in range(count):
        end = data.find(b"\0", offset, offset + LONGEST_WORD)
        if end < 0:
            raise IndexError("a word without an end")
        words.append(data[offset:end])
        offset = end + 10
    return words, offset


def _matrix(data: mmap.mmap, offset: int, dimensions: int, needed: int) -> np.ndarray:
    """Map the input matrix as rows of bytes."""
    rows, columns = struct.unpack_from("<2q", data, offset)
    if columns != dimensions or rows < needed or len(data) < offset + 16 + rows * columns * 4:
        raise IndexError("a matrix of another size")
    return np.frombuffer(data, np.uint8, rows * columns * 4, offset + 16).reshape(rows, columns * 4)


def _quantised(name: str) -> InputError:
    return InputError(f"{name}: a quantised fastText model (.ftz) cannot be read; take the .bin or .vec")
