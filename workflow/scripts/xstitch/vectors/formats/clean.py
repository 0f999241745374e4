"""The fast way through text: lines of one word and its numbers, with single spaces and nothing else.

Most blocks of most files are like that. Neither pandas nor Arrow's reader of tables is used: pandas does not
round every decimal to the nearest float, and both parse by columns, of which vectors have hundreds. Here
Arrow converts all numbers of a block in one call, where they are in the text, as `text` does for odd lines.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

SPACE, LINE_END = b" \n"


def parse_clean(block: bytes, dimensions: int) -> tuple[list[bytes], np.ndarray] | None:
    """Return the words and numbers of complete lines; None if any line is not clean."""
    letters = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(letters <= SPACE)  # of fields; other control characters are not clean
    expected = np.full(dimensions + 1, SPACE, dtype=np.uint8)
    expected[-1] = LINE_END
    if len(ends) % (dimensions + 1) or (letters[ends].reshape(-1, dimensions + 1) != expected).any():
        return None
    try:
        return _words(block, ends, dimensions), _numbers(block, ends, dimensions)
    except pa.ArrowInvalid:  # not a number
        return None


def _words(block: bytes, ends: np.ndarray, dimensions: int) -> list[bytes]:
    by_line = ends.reshape(-1, dimensions + 1)
    starts = [0, *(by_line[:, -1] + 1).tolist()]  # the last is that of the next block's first line
    return [block[start:end] for start, end in zip(starts, by_line[:, 0].tolist(), strict=False)]


def _numbers(block: bytes, ends: np.ndarray, dimensions: int) -> np.ndarray:
    """Parse the fields but the first of each line; to Arrow, words and separators are nulls, and skipped."""
    offsets = np.zeros(2 * len(ends) + 1, dtype=np.int32)  # of fields and separators in turn
    offsets[1::2] = ends
    offsets[2::2] = ends + 1
    is_number = np.zeros((len(ends) // (dimensions + 1), dimensions + 1, 2), dtype=bool)
    is_number[:, 1:, 0] = True
    buffers = [np.packbits(is_number, bitorder="little"), offsets, block]
    fields = pa.Array.from_buffers(pa.string(), is_number.size, [pa.py_buffer(each) for each in buffers])
    # The system's memory: Arrow's own pool would keep some for later.
    floats = fields.cast(pa.float32(), memory_pool=pa.system_memory_pool())
    values = np.frombuffer(floats.buffers()[1], dtype=np.float32, count=is_number.size)
    return np.ascontiguousarray(values.reshape(is_number.shape)[:, 1:, 0])
