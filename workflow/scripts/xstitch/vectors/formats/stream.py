"""Open files of word vectors, compressed or not, as one stream; report damage in one clear line."""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from xstitch.core.errors import InputError
from xstitch.core.integrity import WORTH_A_BAR, byte_bar, chunks

COMPRESSED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
BLOCK = 1 << 17  # what is made of one while it is parsed is many times its size
# Exactly what damaged files raise, so that no bug of ours or of a library is taken for damage.
DAMAGE = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,  # an unknown zip compression method
    UnicodeDecodeError,  # in the name of a zip member
)


@dataclass(frozen=True)
class Source:
    """The unpacked bytes of a file, and its raw stream, whose position shows the progress."""

    path: Path
    name: str
    stream: BinaryIO
    raw: BinaryIO

    def head(self, size: int = 1 << 18) -> bytes:
        """Return the first bytes and rewind the stream."""
        first = self.stream.read(size)
        self.stream.seek(0)
        return first

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes in blocks, with a progress bar for a large file."""
        size = self.path.stat().st_size
        if size < WORTH_A_BAR:
            yield from chunks(self.stream, BLOCK)
            return
        with byte_bar(f"reading {self.path.name}", size) as bar:
            for block in chunks(self.stream, BLOCK):
                yield block
                bar.update(self.raw.tell() - bar.n)

    @contextmanager
    def on_disk(self) -> Iterator[BinaryIO]:
        """Yield a real file with the unpacked bytes, for readers that need random access."""
        if self.stream is self.raw:
            yield self.raw
            return
        with tempfile.TemporaryFile() as copy:
            for block in self.blocks():
                copy.write(block)
            copy.seek(0)
            yield copy


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a file as what its first bytes say it is, whatever its name."""
    with _damage_in_one_line(path), ExitStack() as stack:
        raw = stack.enter_context(path.open("rb"))
        start = raw.read(6)
        raw.seek(0)
        if start.startswith(b"PK"):
            archive = stack.enter_context(zipfile.ZipFile(raw))
            member = _only_member(archive, path)
            if member.flag_bits & 1:
                raise InputError(f"{path}: {member.filename!r} is encrypted; unpack it yourself")
            yield Source(path, f"{path}/{member.filename}", stack.enter_context(archive.open(member)), raw)
            return
        opener = next((opener for magic, opener in COMPRESSED.items() if start.startswith(magic)), None)
        stream = stack.enter_context(opener(raw)) if opener else raw
        yield Source(path, str(path), stream, raw)


def _only_member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    """Return the only file of vectors; in fastText's `wiki.xx.zip`, which also has the model, the .vec."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    for member in members:
        _check_name(member, path)
    members = [member for member in members if not member.filename.startswith("__MACOSX/")]
    for choice in (members, [member for member in members if member.filename.endswith(".vec")]):
        if len(choice) == 1:
            return choice[0]
    names = ", ".join(member.filename for member in members[:5]) or "none"
    raise InputError(
        f"{path}: should have one file of vectors, but has {names}; unpack it and name the one you want"
    )


def _check_name(member: zipfile.ZipInfo, path: Path) -> None:
    """Refuse names that lead outside, as when unpacking: an archive with these cannot be trusted."""
    # zipfile turns backslashes into slashes only on Windows, so look at the original name.
    name = member.orig_filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":":
        raise InputError(
            f"{path}: member {member.filename!r} leads outside it; refused, get the archive elsewhere"
        )
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        raise InputError(
            f"{path}: member {member.filename!r} is a link or device; refused, get the archive elsewhere"
        )


@contextmanager
def _damage_in_one_line(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, IsADirectoryError, PermissionError) as problem:
        raise InputError(f"{path}: {problem.strerror}; check the path") from problem
    except DAMAGE as problem:
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise InputError(f"{path}: damaged or cut short ({reason[:80]}); download it again") from problem
