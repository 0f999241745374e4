"""Texts of any size, plain or compressed, streamed: a whole file, or its head, the first of its bytes."""

from __future__ import annotations

import codecs
import io
import lzma
import zlib
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from xstitch.core.errors import InputError
from xstitch.core.integrity import DamageError, byte_bar, chunks, first_bytes
from xstitch.core.lines import LONGEST_LINE

PIECE = 1 << 12  # small, because a piece of an archive bomb unpacks to several thousand times its size
BUFFER = 1 << 16
DAMAGED = (lzma.LZMAError, zlib.error, EOFError)
XZ_MAGIC, GZIP_MAGIC = b"\xfd7zXZ\0", b"\x1f\x8b\x08"

Pieces = Generator[bytes, None, None]
Decompressor = Callable[[], Any]  # makes an object that unpacks one stream of a format
XZ: Decompressor = lzma.LZMADecompressor
GZIP: Decompressor = partial(zlib.decompressobj, wbits=31)  # with the header and checksum of gzip


def is_cut(path: Path, head: int | None) -> bool:
    """Whether only a part of the text is used: a file shorter than its head is whole.

    It makes no difference whether the rest is missing or ignored: both give the same text.
    """
    return head is not None and path.stat().st_size >= head


def open_text(path: Path, head: int | None = None) -> BinaryIO:
    """Open a text, plain or compressed whatever its name: all of it, or the complete lines of its head."""
    cut = is_cut(path, head)
    pieces = _text(_raw(path, head if cut else None), _format(path), cut)
    return io.BufferedReader(_Stream(_complete_lines(pieces) if cut else pieces), BUFFER)


def check_head(path: Path, name: str) -> None:
    """Unpack the head of a file as far as it goes, and refuse it if damaged; other files pass."""
    wanted = next((made for suffix, made in ((".xz", XZ), (".gz", GZIP)) if name.endswith(suffix)), None)
    if wanted is None:
        return
    try:
        with path.open("rb") as stream, byte_bar(f"test {name}", path.stat().st_size) as bar:
            for _ in _unpacked(chunks(stream, PIECE), wanted, cut=True):
                bar.update(stream.tell() - bar.n)
    except DAMAGED as problem:
        raise DamageError(f"the head of the file is corrupt ({problem})") from problem


def _raw(path: Path, limit: int | None) -> Pieces:
    with path.open("rb") as stream:
        yield from first_bytes(chunks(stream, PIECE), limit)


def _format(path: Path) -> Decompressor | None:
    """Tell by its first bytes how a file is compressed; None if it is plain, as in samples of CC100."""
    with path.open("rb") as stream:
        start = stream.read(4096)
    for magic, made in ((XZ_MAGIC, XZ), (GZIP_MAGIC, GZIP)):
        if start.startswith(magic):
            return made
    try:
        binary = "\0" in codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        binary = True
    if binary:
        raise InputError(f"{path}: neither an .xz or .gz file nor plain UTF-8 text; remove it and run again")
    return None


def _text(raw: Pieces, decompressor: Decompressor | None, cut: bool) -> Pieces:
    return _unpacked(raw, decompressor, cut) if decompressor else raw


def _unpacked(raw: Pieces, decompressor: Decompressor, cut: bool) -> Pieces:
    """Unpack one stream after another, with or without zeros between them; only a cut file may end early."""
    current = decompressor()
    for piece in raw:
        while piece:
            if current.eof:
                piece = piece.lstrip(b"\0")
                if not piece:
                    break
                current = decompressor()
            yield current.decompress(piece)
            piece = current.unused_data
    if not (cut or current.eof):
        raise EOFError("Compressed file ended before the end-of-stream marker was reached")


def _complete_lines(pieces: Pieces) -> Pieces:
    """Hold back what follows the last line end: a head may end within a line, or even a character."""
    held = b""
    for piece in pieces:
        text, end, rest = piece.rpartition(b"\n")
        if end:
            yield held + text + end
            held = rest
        else:
            held += rest
        if len(held) > LONGEST_LINE:  # not text; the reader refuses it
            yield held
            held = b""


class _Stream(io.RawIOBase):
    """Pieces as a file, which has lines."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces, self.rest = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.pieces.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self.rest:
            piece = next(self.pieces, None)
            if piece is None:
                return 0
            self.rest = memoryview(piece)
        size = min(len(buffer), len(self.rest))
        buffer[:size], self.rest = self.rest[:size], self.rest[size:]
        return size
