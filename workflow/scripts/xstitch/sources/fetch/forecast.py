"""What a run is going to download: sizes asked first, so that a disk too small is known before any byte."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import requests

from xstitch.core.errors import InputError
from xstitch.sources.fetch.addresses import mirrored, origin, shown
from xstitch.sources.fetch.http import Token
from xstitch.sources.fetch.lock import read_lock

AT_ONCE = 8
TIMEOUT = (5.0, 10.0)  # seconds to connect and to answer: a size is worth no longer wait


class Download(NamedTuple):
    """A file that is fetched: its address, or its path in a local folder, and where it comes to lie."""

    source: str
    target: str


class Sized(NamedTuple):
    """A download and its bytes; None where nobody tells."""

    download: Download
    size: int | None


def find_sizes(downloads: Sequence[Download], mirror: str, lock: Path, token: Token) -> list[Sized]:
    """Find out how large files are: from the lock, from folders, or by asking their servers."""
    known = read_lock(lock)
    asking = _Asking(token)

    def size(download: Download) -> int | None:
        if download.source in known:
            return known[download.source].size
        place = mirrored(download.source, mirror) if "://" in download.source else download.source
        return asking.size(place) if "://" in place else _size_on_disk(Path(place))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(map(Sized, downloads, pool.map(size, downloads)))


def check_room(wanted: Iterable[Sized]) -> None:
    """Refuse what the disks cannot hold; what lies there already, whole or in part, counts as done."""
    missing: dict[int, int] = {}
    folders: dict[int, Path] = {}
    for download, size in wanted:
        folder = _existing(Path(download.target).parent)
        device = folder.stat().st_dev
        folders.setdefault(device, folder)
        missing[device] = missing.get(device, 0) + max(0, (size or 0) - _done(Path(download.target)))
    for device, needed in missing.items():
        free = shutil.disk_usage(folders[device]).free
        if needed > free:
            raise InputError(
                f"downloads need {shown_size(needed)}, but only {shown_size(free)} are free in "
                f"{folders[device].resolve()}; make room, or ask for less"
            )


def listing(wanted: Sequence[Sized]) -> str:
    """Say what is going to be downloaded, one file a line."""
    known = [size for _, size in wanted if size is not None]
    unknown = f", {len(wanted) - len(known)} of unknown size" if len(known) < len(wanted) else ""
    lines = [f"to download: {len(wanted)} files, {shown_size(sum(known))}{unknown}"]
    lines += [f"{'?' if size is None else shown_size(size):>10}  {shown(d.source)}" for d, size in wanted]
    return "\n".join(lines)


def announce(downloads: Sequence[Download], mirror: str, lock: Path, token: Token | None = None) -> None:
    """List what is going to be downloaded, with sizes, and refuse it where the disk is too small."""
    wanted = find_sizes(downloads, mirror, lock, token or Token())
    print(listing(wanted), file=sys.stderr)
    check_room(wanted)


def shown_size(size: int) -> str:
    """Bytes in the unit that people read."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"


class _Asking:
    """Asks servers for sizes; one that does not answer is asked once."""

    def __init__(self, token: Token) -> None:
        self.token = token
        self.silent: set[str] = set()

    def size(self, address: str) -> int | None:
        if origin(address) in self.silent:
            return None
        try:
            # A session each: they may not be shared by threads.
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
    """The nearest folder that is there: its disk is the one that files will come to."""
    return folder if folder.is_dir() else _existing(folder.absolute().parent)


def _done(target: Path) -> int:
    places = (target, target.with_name(target.name + ".part"))
    return max((place.stat().st_size for place in places if place.is_file()), default=0)
