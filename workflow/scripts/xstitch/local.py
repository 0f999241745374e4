"""Data sets that cannot be downloaded, taken from a folder the user names."""

from __future__ import annotations

import shutil
from pathlib import Path

from xstitch.errors import InputError
from xstitch.files import whole_file


def copy_local(dataset: str, file: str, folder: str, note: str, target: Path) -> None:
    """Copy one file of a local data set; without it, say which file is missing and why it must be local."""
    if not folder:
        raise InputError(f"{dataset}: {note}; put {file} into a folder and name it by config local.{dataset}")
    source = Path(folder) / file
    if not source.is_file():
        raise InputError(f"{source}: no such file ({dataset}: {note})")
    with whole_file(target) as partial:
        shutil.copyfile(source, partial)
