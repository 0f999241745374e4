"""What a run will download: sizes are requested first, so that a disk that is too small is noticed early."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import requests

from xstitch.core.errors import InputError
from xstitch.sources.fetch.addresses import mirrored, origin, shown, split_head
from xstitch.sources.fetch.http import Token
from xstitch.sources.fetch.lock import locked, read_lock

AT_ONCE = 8
TIMEOUT = (5.0, 10.0)  # seconds to connect and to answer: a size is not worth a longer wait


class Download(NamedTuple):
    """A file or head to fetch: its address or local path, and its target."""

    source: str
    target: str


class Sized(NamedTuple):
    """A download and the number of bytes to fetch; None if unknown."""

    download: Download
    size: int | None


def find_sizes(downloads: Sequence[Download], mirror: str, lock: Path, token: Token) -> list[Sized]:
    """Find how many bytes will be fetched: from the lock, in folders, or by asking servers for sizes."""
    known = read_lock(lock)
    servers = _Servers(token)

    def size(download: Download) -> int | None:
        if entry := locked(known, download.source):
            return entry.size
        url, head = split_head(download.source)
        source = mirrored(url, mirror) if "://" in url else url
        whole = servers.size(source) if "://" in source else _size_on_disk(Path(source))
        return min((limit for limit in (whole, head) if limit is not None), default=None)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(map(Sized, downloads, pool.map(size, downloads)))


def check_room(downloads: Iterable[Sized]) -> None:
    """Refuse what does not fit on the disks; whole or partial files that exist already count as done."""
    missing: dict[int, int] = {}
    folders: dict[int, Path] = {}
    for download, size in downloads:
        folder = _existing(Path(download.target).parent)
        device = folder.stat().st_dev
        folders.setdefault(device, folder)
        missing[device] = missing.get(device, 0) + max(0, (size or 0) - _done(Path(download.target)))
    for device, needed in missing.items():
        free = shutil.disk_usage(folders[device]).free
        if needed > free:
            raise InputError(
                f"downloads need {shown_size(needed)}, but only {shown_size(free)} are free in "
                f"{folders[device].resolve()}; make room, or request less"
            )


def listing(downloads: Sequence[Sized]) -> str:
    """List what will be downloaded, one file per line."""
    known = [size for _, size in downloads if size is not None]
    unknown = f", {len(downloads) - len(known)} of unknown size" if len(known) < len(downloads) else ""
    lines = [f"to download: {len(downloads)} files, {shown_size(sum(known))}{unknown}"]
    return "\n".join([*lines, *(_line(download, size) for download, size in downloads)])


def _line(download: Download, size: int | None) -> str:
    part = ", its head" if size is not None and size == split_head(download.source)[1] else ""
    return f"{'?' if size is None else shown_size(size):>10}  {shown(download.source)}{part}"


def announce(downloads: Sequence[Download], mirror: str, lock: Path, token: Token | None = None) -> None:
    """List what will be downloaded, with sizes, and refuse it if the disk is too small."""
    sized = find_sizes(downloads, mirror, lock, token or Token())
    print(listing(sized), file=sys.stderr)
    check_room(sized)


def shown_size(size: int) -> str:
    """Return a number of bytes in a readable unit."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"


class _Servers:
    """Asks servers for sizes; one that does not answer is not asked again."""

    def __init__(self, token: Token) -> None:
        self.token = token
        self.silent: set[str] = set()

    def size(self, address: str) -> int | None:
        if origin(address) in self.silent:
            return None
        try:
            # One session per request, because threads must not share them.
            with requests.Session() as session:
                answer = session.head(
                    address,
                    headers={"Accept-Encoding": "identity", "User-Agent": "xstitch"},
                    auth=self.token if self.token.fits(address) else None,
                    allow_redirects=True,
                    timeout=TIMEOUT,
                )
        except requests.RequestException:
            self.silent.add(origin(address))
            return None
        length = answer.headers.get("Content-Length", "")
        return int(length) if answer.ok and length.isdecimal() else None


def _size_on_disk(path: Path) -> int | None:
    return path.expanduser().stat().st_size if path.expanduser().is_file() else None


def _existing(folder: Path) -> Path:
    """Return the nearest existing folder: files will be on its disk."""
    return folder if folder.is_dir() else _existing(folder.absolute().parent)


def _done(target: Path) -> int:
    files = (target, target.with_name(target.name + ".part"))
    return max((file.stat().st_size for file in files if file.is_file()), default=0)
