"""Reading and writing files: every output appears whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from xstitch.core.errors import USER_FIXABLE, InputError
from xstitch.core.integrity import DAMAGE

ROWS_AT_ONCE = 10_000  # of a matrix that is read in parts


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`; rename it to `path` only if the block succeeds."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    with _blaming(path), tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        partial = Path(folder) / path.name
        yield partial
        partial.replace(path)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield an empty temporary folder next to `path`; it replaces `path` if the block succeeds."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    with _blaming(path), tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        partial = Path(folder) / path.name
        partial.mkdir()
        yield partial
        _make_readable(partial)
        if path.exists():
            shutil.rmtree(path)
        partial.replace(path)


def _make_readable(folder: Path) -> None:
    """Let others read the files that they may list: safetensors' are for their owner alone, by any umask."""
    mode = stat.S_IMODE(folder.stat().st_mode) & 0o666
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            file.chmod(stat.S_IMODE(file.stat().st_mode) | mode)


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Name the output when the disk is full: numpy and Arrow name no file, safetensors raises no OSError."""
    try:
        yield
    except Exception as problem:
        os_error = re.search(r"\(os error (\d+)\)", str(problem))
        code = int(os_error[1]) if os_error else getattr(problem, "errno", None)
        if code not in USER_FIXABLE or getattr(problem, "filename", None):
            raise
        raise OSError(code, os.strerror(code), str(path)) from problem


def _remove_leftovers(path: Path) -> None:
    """Remove temporary folders that killed jobs left for `path`; only one job at a time writes it."""
    leftover = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}")  # as tempfile names them
    for folder in path.parent.iterdir():
        if leftover.fullmatch(folder.name):
            shutil.rmtree(folder, ignore_errors=True)


def save_npz(path: str | Path, **arrays: np.ndarray) -> None:
    """Write arrays uncompressed (fast to reload) and without pickled objects."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise TypeError(f"array {name!r} holds Python objects; npz files carry plain data only")
    with whole_file(path) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)


def load_npz(path: str | Path, names: Iterable[str] | None = None) -> dict[str, np.ndarray]:
    """Read the named arrays of an npz file, or all of them, refusing pickled objects."""
    with _blaming_damage(path), np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in names or archive.files}


def load_npz_rows(path: str | Path, name: str, rows: np.ndarray) -> np.ndarray:
    """Read some rows, in ascending order, of a matrix that `save_npz` wrote; no others are held in memory."""
    with _blaming_damage(path), zipfile.ZipFile(path) as archive, archive.open(f"{name}.npy") as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("an array of another version of numpy's format")
        shape, in_columns, dtype = np.lib.format.read_array_header_1_0(stream)
        if in_columns or len(shape) != 2 or dtype.hasobject:
            raise ValueError(f"{name!r} is not a matrix in rows")
        if len(rows) and rows[-1] >= shape[0]:
            raise ValueError(f"{name!r} has {shape[0]} rows, too few")
        taken, width = np.empty((len(rows), shape[1]), dtype), shape[1] * dtype.itemsize
        for start in range(0, shape[0], ROWS_AT_ONCE):
            size = min(ROWS_AT_ONCE, shape[0] - start)
            block = np.frombuffer(stream.read(size * width), dtype).reshape(size, shape[1])
            first, last = np.searchsorted(rows, [start, start + size])
            taken[first:last] = block[rows[first:last] - start]
        return taken


@contextmanager
def _blaming_damage(path: str | Path) -> Iterator[None]:
    """Refuse a file that is damaged or of another kind in one line."""
    try:
        yield
    except DAMAGE as problem:
        reason = " ".join(str(problem).split())[:80] or type(problem).__name__
        raise InputError(f"{path}: not an npz file of plain arrays ({reason}); make it again") from problem


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file; refuse any other in one line."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise InputError(f"{path}: not readable as JSON ({problem}); get it again") from problem
