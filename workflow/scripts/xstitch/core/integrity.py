"""Is a downloaded file what its name says? Error pages, truncated archives and checksums."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from safetensors import SafetensorError, safe_open
from tqdm import tqdm

from xstitch.core.progress import progress

CHUNK = 1 << 20
WORTH_A_BAR = 64 << 20  # smaller files are read in no time, and a bar would only fill the log


class DamageError(Exception):
    """The bytes are not what their name promises; the caller knows the address and adds it."""


def byte_bar(label: str, total: int | None, initial: int = 0) -> tqdm:
    """A progress bar that counts bytes in MB and GB."""
    bar = progress((), label, total=total, unit="B", initial=initial)
    bar.unit_scale = True
    return bar


def chunks(stream: IO[bytes], size: int = CHUNK) -> Iterator[bytes]:
    """The stream's bytes, in pieces."""
    while piece := stream.read(size):
        yield piece


def first_bytes(pieces: Iterable[bytes], limit: int | None) -> Iterator[bytes]:
    """Pass pieces on until there are `limit` bytes, and ask for no more of them; all if there is no limit."""
    for piece in pieces:
        if limit is not None and len(piece) >= limit:
            yield piece[:limit]
            return
        yield piece
        limit = limit and limit - len(piece)


def sha256_of(path: Path) -> str:
    """The file's checksum, with a progress bar for a large file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        for piece in _watched(stream, stream, path, "checksum"):
            digest.update(piece)
    return digest.hexdigest()


def expects_html(name: str) -> bool:
    """Whether a file of this name should be a web page."""
    return name.endswith((".html", ".htm", ".xhtml"))


def check_content(path: Path, name: str) -> None:
    """Refuse an empty file and an error page served instead of the data."""
    with path.open("rb") as stream:
        head = stream.read(1024)
    if not head:
        raise DamageError("the file is empty")
    if not expects_html(name) and head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(
        (b"<!doctype html", b"<html")
    ):
        raise DamageError("an HTML page came instead of the data (an error or login page?)")


def check_archive(path: Path, name: str) -> None:
    """Read an archive to its end and refuse it if truncated or corrupt; other files pass."""
    for suffix, check in CHECKS.items():
        if name.endswith(suffix):
            try:
                check(path)
            except DAMAGE as problem:
                reason = " ".join(str(problem).split()) or type(problem).__name__
                raise DamageError(f"the {suffix} file is truncated or corrupt ({reason})") from problem


def _stream(opener: Callable[[IO[bytes]], IO[bytes]]) -> Callable[[Path], None]:
    """A check that reads a whole compressed stream, which verifies its checksums."""

    def check(path: Path) -> None:
        with path.open("rb") as raw, opener(raw) as stream:
            for _ in _watched(stream, raw, path, "test"):
                pass

    return check


def _zip(path: Path) -> None:
    """Read the central directory and every member."""
    with zipfile.ZipFile(path) as archive:
        bad = archive.testzip()
    if bad is not None:
        raise zipfile.BadZipFile(f"member {bad} is damaged")


def _tar(path: Path) -> None:
    """Walk all headers; the walk fails where a member's data is cut off."""
    with tarfile.open(path, "r:") as archive:
        for _ in archive:
            pass


def _safetensors(path: Path) -> None:
    """The header must give types and shapes that account for every byte of the file."""
    try:
        with safe_open(path, framework="np") as opened:
            tensors = list(opened.keys())
    except SafetensorError as problem:
        raise ValueError(str(problem)) from problem
    if not tensors:
        raise ValueError("it holds no tensor")


def _parquet(path: Path) -> None:
    """Parquet files begin and end with the same marker."""
    with path.open("rb") as stream:
        head = stream.read(4)
        stream.seek(-min(4, path.stat().st_size), 2)
        if head != b"PAR1" or stream.read() != b"PAR1":
            raise ValueError("the marker PAR1 is missing")


def _watched(stream: IO[bytes], raw: IO[bytes], path: Path, label: str) -> Iterator[bytes]:
    """The stream's bytes; for a large file with a bar that shows the position in the raw file."""
    size = path.stat().st_size
    if size < WORTH_A_BAR:
        yield from chunks(stream)
        return
    with byte_bar(f"{label} {path.name}", size) as bar:
        for piece in chunks(stream):
            yield piece
            bar.update(raw.tell() - bar.n)


DAMAGE = (
    EOFError,
    OSError,  # gzip.BadGzipFile, and what bz2 raises
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    ValueError,
    KeyError,
    TypeError,
    NotImplementedError,  # an unknown zip compression method
    RuntimeError,  # an encrypted zip
)
CHECKS: dict[str, Callable[[Path], None]] = {
    ".gz": _stream(gzip.open),
    ".tgz": _stream(gzip.open),
    ".xz": _stream(lzma.open),
    ".bz2": _stream(bz2.open),
    ".zip": _zip,
    ".tar": _tar,
    ".safetensors": _safetensors,
    ".parquet": _parquet,
}
