"""Digests of the content of a world's files, whatever program packed them.

Archives, databases and Parquet files are opened: another version of zlib, SQLite or Arrow writes different
bytes for the same content.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import sqlite3
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq


def content_digests(root: Path) -> dict[str, str]:
    """Return the SHA-256 of the content of every file but the lock, by its path under `root`."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.name != "lock.tsv")
    return {str(path.relative_to(root)): _digest(path.name, path.read_bytes()) for path in files}


def read_digests(file: Path) -> dict[str, str]:
    """Read digests that `write_digests` wrote."""
    return dict(line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())


def write_digests(file: Path, digests: dict[str, str]) -> None:
    """Write one path and digest per line."""
    file.write_text("".join(f"{path}\t{digest}\n" for path, digest in digests.items()), encoding="utf-8")


def _digest(name: str, content: bytes) -> str:
    digest = hashlib.sha256()
    for member, inside in _opened(name, content):
        digest.update(f"{member}\0{len(inside)}\0".encode() + inside)
    return digest.hexdigest()


def _opened(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files inside a file, at any depth; a plain file yields itself."""
    if name.endswith(".xz"):
        yield from _opened(name.removesuffix(".xz"), lzma.decompress(content))
    elif name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from _opened(member, archive.read(member))
    elif name.endswith((".tar.gz", ".tgz")):
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(content))) as archive:
            for member in archive:
                yield from _opened(member.name, archive.extractfile(member).read())
    elif name.endswith(".sqlite"):
        connection = sqlite3.connect(":memory:")
        connection.deserialize(content)
        yield name, "\n".join(connection.iterdump()).encode()
        connection.close()
    elif name.endswith(".parquet"):
        yield name, repr(pq.read_table(io.BytesIO(content)).to_pylist()).encode()
    else:
        yield name, content
