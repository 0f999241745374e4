"""Word vectors as text: a word and its numbers per line, after a header or (GloVe) without."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xstitch.core.errors import InputError
from xstitch.core.files import whole_file
from xstitch.core.progress import progress
from xstitch.vectors.formats.clean import parse_clean
from xstitch.vectors.formats.rows import Rows
from xstitch.vectors.formats.stream import Source
from xstitch.vectors.table import Vectors

LONGEST_LINE = 1 << 25
MOST_DIMENSIONS = 100_000
SAMPLE = 100
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ROWS_PER_WRITE = 5_000


@dataclass(frozen=True)
class Layout:
    """What the beginning of a text file says about its lines."""

    dimensions: int
    promised: int | None
    tabs: bool
    untidy: bool  # separated or ended by something that `_tidy` replaces


def read_text(source: Source, limit: int | None = None) -> Vectors:
    """Read the first `limit` usable rows; further lines are not read."""
    rows = Rows(source.name, limit)
    layout = None
    number = 1
    for block in _line_blocks(source):
        if layout is None:
            block = block.removeprefix(BYTE_ORDER_MARK)
            layout = find_layout(_lines(block)[: SAMPLE + 1], source.name)
            if layout.promised is not None:
                block, number = block[block.index(b"\n") + 1 :], 2
        number += _add_block(rows, block, number, layout)
        if rows.remaining == 0:
            break
    return rows.vectors(layout.promised if layout else None)


def _add_block(rows: Rows, block: bytes, number: int, layout: Layout) -> int:
    """Add complete lines, the first of this number, and return how many they are."""
    if layout.untidy:
        block = _tidy(block, layout.tabs)
    clean = parse_clean(block, layout.dimensions)
    if clean is not None:
        rows.fill(*clean)
        return len(clean[0])
    lines = _lines(_tidy(block, layout.tabs))
    _add_lines(rows, lines, number, layout.dimensions)
    return len(lines)


def _add_lines(rows: Rows, lines: Sequence[bytes], number: int, dimensions: int) -> None:
    """Add lines of which any may be odd; those behind the limit are not looked at."""
    while lines and rows.remaining != 0:
        batch = lines[: rows.remaining]
        lines = lines[len(batch) :]
        rows.add(*_parse(batch, number, dimensions, rows.name))
        number += len(batch)


def parse_header(line: bytes) -> tuple[int, int] | None:
    """Return rows and dimensions, if the line has these and nothing else."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isdigit() and len(part) < 19 for part in parts):
        return None
    return int(parts[0]), int(parts[1])


def find_layout(lines: Sequence[bytes], name: str) -> Layout:
    """Find header, number of values and separator in the first lines."""
    header = parse_header(lines[0])
    sample = [line for line in lines[1 if header else 0 :][:SAMPLE] if line.strip()]
    # The most common count, because the word of a row may have spaces, or a row may be damaged.
    counts = Counter(map(_values_after_word, sample))
    usual = counts.most_common(1)[0][0] if sample else 0
    tabs = any(b"\t" in line for line in sample[:1])
    untidy = tabs or any(line.endswith((b" ", b"\r")) for line in sample)
    if header is None:
        if not usual:
            raise InputError(f"{name}:1: not word vectors: a word and its numbers expected in every line")
        return Layout(usual, None, tabs, untidy)
    if not 0 < header[1] <= MOST_DIMENSIONS:
        raise InputError(f"{name}:1: a header of {header[1]} dimensions; correct it, or delete the line")
    # A single row that is too short may be cut; several that agree with each other are not.
    agreed = counts[usual] > 1 and not counts[header[1]]
    if usual > header[1] or (usual and agreed):
        raise InputError(
            f"{name}:1: the header says {header[1]} dimensions, the rows have {usual}; correct the header"
        )
    return Layout(header[1], header[0], tabs, untidy)


def write_text_vectors(vectors: Vectors, path: str | Path) -> None:
    """Write word2vec text, compressed if the name ends with .gz; every float32 reads back the same."""
    if bad := [word for word in vectors.words if not word or "\n" in word]:
        raise InputError(f"{path}: the word {bad[0]!r} cannot be written as text; remove it")
    matrix = vectors.matrix.astype(np.float32, copy=False)
    starts = range(0, len(matrix), ROWS_PER_WRITE)
    with whole_file(path) as partial, _open_to_write(partial) as stream:
        stream.write(b"%d %d\n" % matrix.shape)
        for start in progress(starts, "writing vectors", unit="block"):
            block = matrix[start : start + ROWS_PER_WRITE]
            words = vectors.words[start : start + ROWS_PER_WRITE]
            lines = zip(words, _row_texts(block), strict=True)
            stream.write("".join(f"{word} {text}\n" for word, text in lines).encode())


def _open_to_write(path: Path) -> IO[bytes]:
    # Level 9 is three times as slow for 1 %; without a time stamp, equal vectors give equal files.
    return gzip.GzipFile(path, "wb", 6, mtime=0) if path.suffix == ".gz" else path.open("wb")


def _row_texts(block: np.ndarray) -> list[str]:
    """Return one text per row, with the fewest digits that give the same float32."""
    texts = pa.array(block.ravel()).cast(pa.string())
    ends = np.arange(len(block) + 1, dtype=np.int32) * block.shape[1]
    return pc.binary_join(pa.ListArray.from_arrays(ends, texts), " ").to_pylist()


def _line_blocks(source: Source) -> Iterator[bytes]:
    """Yield blocks that end at the end of a line."""
    rest = b""
    for block in source.blocks():
        cut = block.rfind(b"\n") + 1
        if cut:
            yield rest + block[:cut]
            rest = block[cut:]
        else:
            rest += block
        if len(rest) > LONGEST_LINE:
            raise InputError(
                f"{source.name}: a line of more than {LONGEST_LINE >> 20} MB; is it the right file?"
            )
    if rest:
        yield rest + b"\n"


def _tidy(block: bytes, tabs: bool) -> bytes:
    """Remove Windows line ends and the space that fastText puts after the last number."""
    block = block.replace(b"\r\n", b"\n").replace(b" \n", b"\n")
    return block.replace(b"\t", b" ") if tabs else block


def _lines(block: bytes) -> list[bytes]:
    return block.removesuffix(b"\n").split(b"\n")


def _values_after_word(line: bytes) -> int:
    """Count the numbers at the end of a line; the first field is the word, even if it is a number."""
    fields = line.split()
    count = 0
    while count < len(fields) - 1 and _is_number(fields[-1 - count]):
        count += 1
    return count


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _parse(lines: Sequence[bytes], first: int, dimensions: int, name: str) -> tuple[list[bytes], np.ndarray]:
    """Return the words and numbers of some lines, numbered from `first`."""
    words: list[bytes] = []
    texts: list[bytes] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, first):
        word, _, text = line.partition(b" ")
        if not text or text.count(b" ") != dimensions - 1:
            if not line.strip():
                continue
            word, text = _split_unusual(line, dimensions, f"{name}:{number}")
        words.append(word)
        texts.append(text)
        numbers.append(number)
    try:
        return words, _floats(texts, dimensions)
    except pa.ArrowInvalid:
        rows = [(number, lines[number - first]) for number in numbers]
        return _parse_slowly(rows, dimensions, name)


def _parse_slowly(
    rows: Sequence[tuple[int, bytes]], dimensions: int, name: str
) -> tuple[list[bytes], np.ndarray]:
    """Parse line by line, which finds a bad one and allows repeated spaces."""
    words: list[bytes] = []
    values: list[np.ndarray] = []
    for number, line in rows:
        location = f"{name}:{number}"
        word, text = _split_unusual(line, dimensions, location)
        try:
            values.append(_floats([text], dimensions))
        except pa.ArrowInvalid as problem:
            bad = next((value for value in text.split() if not _is_number(value)), text[:30])
            raise InputError(
                f"{location}: not a number: {_show(bad)}; correct or delete the line"
            ) from problem
        words.append(word)
    return words, np.concatenate(values)


def _floats(texts: Sequence[bytes], dimensions: int) -> np.ndarray:
    """Parse numbers separated by single spaces, rounding each decimal to float32 once."""
    if not texts:
        return np.empty((0, dimensions), dtype=np.float32)
    joined = b" ".join(texts)
    spaces = np.flatnonzero(np.frombuffer(joined, dtype=np.uint8) == ord(" "))
    # Arrow takes the fields from one buffer by offset, without a Python object per number.
    packed = joined.translate(None, b" ")
    offsets = np.zeros(len(spaces) + 2, dtype=np.int32)
    offsets[1:-1] = spaces - np.arange(len(spaces))
    offsets[-1] = len(packed)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(packed)]
    fields = pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)
    return fields.cast(pa.float32()).to_numpy(zero_copy_only=False).reshape(-1, dimensions)


def _split_unusual(line: bytes, dimensions: int, location: str) -> tuple[bytes, bytes]:
    """Split a line with an unusual number of spaces into word and numbers: the word may have some."""
    line = line.rstrip()
    word, *values = line.rsplit(b" ", dimensions)
    if len(values) < dimensions or not all(values) or b"\t" in line:
        word, *values = line.rsplit(None, dimensions)
    if len(values) < dimensions:
        raise _wrong_count(location, dimensions, len(values))
    if _looks_like_value(word.split()[1:][-1:], values):
        raise _wrong_count(location, dimensions, _values_after_word(line))
    return word, b" ".join(values)


def _looks_like_value(tail: Sequence[bytes], values: Sequence[bytes]) -> bool:
    """Whether the end of a word is an extra value (`a 0.31 ...`), not a part of it (`windows 95 ...`)."""
    if not tail or not _is_number(tail[0]):
        return False
    decimals = [_decimals(value) for value in values]
    return _decimals(tail[0]) >= min((count for count in decimals if count), default=0)


def _decimals(number: bytes) -> int:
    return len(number.partition(b".")[2])


def _wrong_count(location: str, expected: int, actual: int) -> InputError:
    return InputError(
        f"{location}: {expected} numbers expected after the word, not {actual}; "
        "delete the line, or download the file again if it is the last"
    )


def _show(text: bytes) -> str:
    return repr(text[:30].decode(errors="replace"))
