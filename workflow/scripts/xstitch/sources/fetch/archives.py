"""Unpack files from untrusted zip and tar archives: whole or not at all, and nothing but files."""

from __future__ import annotations

import difflib
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tqdm import tqdm

from xstitch.core.errors import USER_FIXABLE, InputError
from xstitch.core.files import whole_file
from xstitch.core.integrity import DAMAGE, byte_bar, chunks


@dataclass(frozen=True)
class Limits:
    """How much an archive may unpack to; text is compressed about tenfold, a bomb a thousandfold."""

    total: int = 1 << 40
    ratio: float = 200.0
    # Below this many bytes a high ratio is harmless, and small repetitive files do reach it.
    harmless: int = 64 << 20

    def allowed(self, archive: Path) -> int:
        """Return the maximum number of bytes that this archive may unpack to."""
        return min(self.total, max(self.harmless, int(archive.stat().st_size * self.ratio)))


@dataclass(frozen=True)
class Member:
    """One entry of an archive of any format."""

    name: str
    size: int
    is_folder: bool
    is_file: bool
    open: Callable[[], IO[bytes]]


def extract_member(archive: Path, name: str, target: Path, limits: Limits | None = None) -> None:
    """Unpack the member called `name` to the file `target`."""
    allowed = (limits or Limits()).allowed(archive)
    names: list[str] = []
    with _readable(archive) as members, whole_file(target) as partial, _bar(archive) as bar:
        for member in members:
            if member.name == name:
                _check(member, archive)
                _write(member, partial, archive, allowed, bar)
                return
            names.append(member.name)
        closest = difflib.get_close_matches(name, names, n=3, cutoff=0.0)
        raise InputError(f"{archive}: has no member {name!r}; the closest are {', '.join(closest) or 'none'}")


def _check(member: Member, archive: Path) -> None:
    """Refuse names that lead elsewhere and entries that are neither file nor folder."""
    parts = member.name.rstrip("/").split("/")
    drive = len(parts[0]) > 1 and parts[0][1] == ":"
    if any(part in ("", "..") for part in parts) or drive or any(c in member.name for c in "\\\0"):
        raise InputError(
            f"{archive}: member {member.name!r} leads outside the folder; refused, get the archive elsewhere"
        )
    if not (member.is_file or member.is_folder):
        raise InputError(
            f"{archive}: member {member.name!r} is a link or device; refused, get the archive elsewhere"
        )


def _write(member: Member, path: Path, archive: Path, allowed: int, bar: tqdm) -> None:
    """Copy one member's bytes; the bar counts those of the whole archive, also for the limit."""
    if bar.n + member.size > allowed:
        raise _bomb(archive, allowed)
    if member.is_folder:
        raise InputError(f"{archive}: member {member.name!r} is a folder; name one of its files")
    written = 0
    with member.open() as stream, path.open("xb") as out:
        for piece in chunks(stream):
            written += len(piece)
            if written > member.size:
                raise _bomb(archive, allowed)
            out.write(piece)
            bar.update(len(piece))
    if written != member.size:
        raise InputError(f"{archive}: member {member.name!r} is cut short; download the archive again")


def _bomb(archive: Path, allowed: int) -> InputError:
    """Return the error for an archive that unpacks to more than it may."""
    return InputError(
        f"{archive}: unpacks to more than {allowed / 1e6:.0f} MB, or more than it declares; get it elsewhere"
    )


def _bar(archive: Path) -> tqdm:
    """A bar of unpacked bytes; their total is not known beforehand."""
    return byte_bar(f"unpack {archive.name}", None)


@contextmanager
def _readable(archive: Path) -> Iterator[Iterator[Member]]:
    """Yield the archive's members in order, for any format; damage becomes one clear line."""
    try:
        with archive.open("rb") as stream:
            is_zip = stream.read(2) == b"PK"
        if is_zip:
            with zipfile.ZipFile(archive) as opened:
                yield (_zip_member(opened, entry) for entry in opened.infolist())
        else:
            with tarfile.open(archive) as opened:
                yield (_tar_member(opened, entry) for entry in opened)
    except DAMAGE as problem:
        if getattr(problem, "errno", None) in USER_FIXABLE:  # the disk's fault, not the archive's
            raise
        message = getattr(problem, "strerror", None) or str(problem)
        reason = " ".join(message.split())[:80] or type(problem).__name__
        raise InputError(f"{archive}: cannot be unpacked ({reason}); download it again") from problem


def _zip_member(opened: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Member:
    """A zip entry; zips from Unix have the file type in the upper half of the attributes."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    is_folder = entry.is_dir()
    is_file = not is_folder and kind in (0, stat.S_IFREG)
    return Member(entry.filename, entry.file_size, is_folder, is_file, lambda: opened.open(entry))


def _tar_member(opened: tarfile.TarFile, entry: tarfile.TarInfo) -> Member:
    """A tar entry; tar writes `./` before names when it packs the current folder."""
    name = entry.name.removeprefix("./")
    return Member(name, entry.size, entry.isdir(), entry.isreg(), lambda: opened.extractfile(entry))
