"""The lock file: the checksum of every file as first downloaded, which later downloads must match."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from xstitch.core.errors import InputError
from xstitch.core.files import whole_file
from xstitch.core.lines import numbered_lines
from xstitch.sources.fetch.addresses import split_head

HEADER = ["url", "sha256", "size"]


@dataclass(frozen=True, order=True)
class Entry:
    """One line of the lock file."""

    url: str
    sha256: str
    size: int


def read_lock(lock: Path) -> dict[str, Entry]:
    """Return all entries by address; none if the lock file does not exist yet."""
    if not lock.exists():
        return {}
    header, *lines = [line for _, line in numbered_lines(lock)] or [""]
    if header.split("\t") != HEADER:
        raise InputError(f"{lock}, line 1: must be the header {' '.join(HEADER)}; restore or delete the file")
    entries: dict[str, Entry] = {}
    for number, line in enumerate(lines, start=2):
        entry = _parse(line, f"{lock}, line {number}")
        if entry.url in entries:
            raise InputError(f"{lock}, line {number}: {entry.url} is listed twice; delete the wrong line")
        entries[entry.url] = entry
    return entries


def locked(entries: Mapping[str, Entry], address: str) -> Entry | None:
    """Find the entry of a file, or of its head if the whole file is longer, or unknown."""
    url, head = split_head(address)
    whole = entries.get(url)
    return whole if whole and head and whole.size < head else entries.get(address)


def record(lock: Path, entry: Entry, patience: float = 60.0) -> None:
    """Add an entry, safely while other jobs do the same; refuse one that contradicts a recorded checksum."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(lock.with_name(f".{lock.name}.guard"), timeout=patience):
            entries = read_lock(lock)
            known = entries.setdefault(entry.url, entry)
            if known.sha256 != entry.sha256:
                raise mismatch(entry.url, known.sha256, entry.sha256, lock)
            _write(lock, entries)
    except Timeout:
        raise InputError(f"{lock}: locked by another job for {patience:.0f} s; run again") from None


def mismatch(url: str, expected: str, got: str, lock: Path | None) -> InputError:
    """Return the error for unexpected bytes; `lock` is the file that the expected checksum comes from."""
    if lock:
        remedy = f"damaged, or changed upstream: to accept the new file, delete its line in {lock}"
    else:
        remedy = "damaged, or changed upstream: check the file, then correct sha256 in config/datasets.tsv"
    return InputError(f"{url}: sha256 should be {expected} but is {got}; {remedy}")


def _parse(line: str, location: str) -> Entry:
    """Read one line strictly: a merge conflict or a truncated line must not weaken the check."""
    fields = line.split("\t")
    if len(fields) != 3 or not re.fullmatch(r"[0-9a-f]{64}", fields[1]) or not fields[2].isdecimal():
        raise InputError(
            f"{location}: must be url, sha256 and size separated by tabs; restore or delete the line"
        )
    return Entry(fields[0], fields[1], int(fields[2]))


def _write(lock: Path, entries: dict[str, Entry]) -> None:
    """Write sorted lines, so that the file merges well under version control."""
    lines = ["\t".join(HEADER)]
    lines += [f"{entry.url}\t{entry.sha256}\t{entry.size}" for entry in sorted(entries.values())]
    with whole_file(lock) as partial:
        partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
