"""Word vectors in binary files: word2vec's rows of raw floats, and fastText's models with their subwords."""

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
COUNTS = struct.Struct("<3iq")  # entries, words, labels, tokens of the corpus
SUPERVISED = 3
# Since models have a magic, this entry of fastText's own is its row alone; before, it was taken for a word.
END_OF_SENTENCE = b"</s>"


def read_word2vec(source: Source, limit: int | None = None) -> Vectors:
    """Read word2vec's binary format: `rows dimensions`, then word, space, raw floats."""
    header = parse_header(source.stream.readline(100))
    if header is None or not 0 < header[1] <= MOST_DIMENSIONS:
        raise InputError(f"{source.name}: its header names no usable number of dimensions; get another file")
    rows = Rows(source.name, limit)
    for words, block in _word2vec_blocks(source, header[1] * 4):
        wanted = rows.wanting
        rows.add(words[:wanted], np.frombuffer(block, dtype="<f4").reshape(-1, header[1])[:wanted])
        if rows.wanting == 0:
            break
    return rows.vectors(header[0])


def _word2vec_blocks(source: Source, width: int) -> Iterator[tuple[list[bytes], bytes]]:
    """Words and raw rows, as many as each block of the file completes."""
    rest, count = b"", 0
    for block in source.blocks():
        rest += block
        words, parts, at = [], [], 0
        while (space := rest.find(b" ", at, at + LONGEST_WORD)) >= 0 and space + width < len(rest):
            # The authors' program ends rows with a line end, others do not.
            words.append(rest[at:space].lstrip(b"\n"))
            parts.append(rest[space + 1 : space + 1 + width])
            at = space + 1 + width
        if space < 0 and len(rest) - at > LONGEST_WORD:
            raise InputError(
                f"{source.name}: no word where row {count + len(words) + 1} begins; is it damaged?"
            )
        rest, count = rest[at:], count + len(words)
        if words:
            yield words, b"".join(parts)
    if rest.strip(b"\n"):
        raise InputError(f"{source.name}: cut short in row {count + 1}; download it again")


@dataclass(frozen=True)
class FastText:
    """What precedes the matrix of a fastText model, and where the matrix is."""

    dimensions: int
    words: list[bytes]
    ngrams: Ngrams
    matrix: np.ndarray


def is_fasttext(head: bytes) -> bool:
    """Whether a file begins like a fastText model; the oldest have no magic, only plausible settings."""
    if head.startswith(FASTTEXT_MAGIC):
        return True
    if len(head) < ARGUMENTS.size + COUNTS.size:
        return False
    return _plausible(ARGUMENTS.unpack_from(head), COUNTS.unpack_from(head, ARGUMENTS.size))


def _plausible(arguments: tuple, counts: tuple) -> bool:
    """Whether numbers can be a model's settings and sizes."""
    dim, ws, epoch, *_, loss, model, bucket, minn, maxn, _, t = arguments
    entries, words, labels, tokens = counts
    trained = 0 < ws <= 1000 and 0 < epoch <= 100_000 and 0 <= t <= 1 and tokens >= 0
    kinds = loss in (1, 2, 3, 4) and model in (1, 2, SUPERVISED)
    sizes = 0 < dim <= MOST_DIMENSIONS and bucket >= 0 and 0 <= minn <= 100 and 0 <= maxn <= 100
    return trained and kinds and sizes and min(words, labels) >= 0 and entries == words + labels


def read_fasttext(source: Source, limit: int | None = None) -> Vectors:
    """Read a fastText model's word vectors, each the mean of the word's own and its n-grams' vectors.

    Not by fasttext, which refuses models without magic and cannot decode all words, nor by gensim, which
    holds the whole model in memory: of a mapped file only the pages of the wanted rows are read.
    """
    with source.on_disk() as file:
        # Closed when nothing points into it any more; closing it by hand would fail while errors travel.
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            model = _open_fasttext(data, source.name)
        except (struct.error, IndexError) as problem:
            raise InputError(f"{source.name}: cut short or no fastText model; get it again") from problem
        return _fasttext_vectors(model, Rows(source.name, limit))


def _fasttext_vectors(model: FastText, rows: Rows) -> Vectors:
    count = len(model.words)
    with progress(None, "averaging subwords", count, "word") as bar:
        at = 0
        while at < count and rows.wanting != 0:
            words = model.words[at : at + min(ROWS_AT_ONCE, rows.wanting or ROWS_AT_ONCE)]
            own = _floats(model.matrix[at : at + len(words)])
            rows.add(
                words, subword_means(words, own, lambda p: _floats(model.matrix[count + p]), model.ngrams)
            )
            at += len(words)
            bar.update(len(words))
    return rows.vectors()


def _floats(rows: np.ndarray) -> np.ndarray:
    """Rows of bytes as rows of floats; in the file they begin anywhere, in the copy on a float's border."""
    return np.ascontiguousarray(rows).view("<f4")


def _open_fasttext(data: mmap.mmap, name: str) -> FastText:
    """Read settings and words, and find the matrix."""
    magic = data[:4] == FASTTEXT_MAGIC
    version = struct.unpack_from("<i", data, 4)[0] if magic else 0
    if version > NEWEST_VERSION:
        raise InputError(f"{name}: fastText format {version} is unknown; export its vectors as .vec")
    at = 8 if magic else 0
    arguments = ARGUMENTS.unpack_from(data, at)
    at += ARGUMENTS.size
    entries, count, *_ = counts = COUNTS.unpack_from(data, at)
    at += COUNTS.size
    if not _plausible(arguments, counts):
        raise IndexError("settings that no model has")
    if magic:
        pruned = struct.unpack_from("<q", data, at)[0]
        at += 8
        if pruned >= 0:
            raise _quantised(name)
    words, at = _entries(data, at, entries)
    if magic:
        if data[at]:
            raise _quantised(name)
        at += 1
    dimensions, model, bucket, shortest, longest = (arguments[i] for i in (0, 7, 8, 9, 10))
    # Supervised models of version 11 and before were trained without n-grams, whatever they say.
    longest = 0 if model == SUPERVISED and version < NEWEST_VERSION else longest
    ngrams = Ngrams(shortest, longest, bucket if longest else 0, END_OF_SENTENCE if magic else None)
    return FastText(dimensions, words[:count], ngrams, _matrix(data, at, dimensions, count + ngrams.buckets))


def _entries(data: mmap.mmap, at: int, count: int) -> tuple[list[bytes], int]:
    """The dictionary: a word, a zero byte, its frequency, its kind."""
    words = []
    for _ in range(count):
        end = data.find(b"\0", at, at + LONGEST_WORD)
        if end < 0:
            raise IndexError("a word without end")
        words.append(data[at:end])
        at = end + 10
    return words, at


def _matrix(data: mmap.mmap, at: int, dimensions: int, needed: int) -> np.ndarray:
    """The input matrix as rows of bytes, mapped."""
    rows, columns = struct.unpack_from("<2q", data, at)
    if columns != dimensions or rows < needed or len(data) < at + 16 + rows * columns * 4:
        raise IndexError("a matrix of another size")
    return np.frombuffer(data, np.uint8, rows * columns * 4, at + 16).reshape(rows, columns * 4)


def _quantised(name: str) -> InputError:
    return InputError(f"{name}: a quantised fastText model (.ftz) is not read; take the .bin or .vec")
