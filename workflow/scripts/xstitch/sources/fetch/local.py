"""Data sets that cannot be downloaded, taken from a folder that the user names."""

from __future__ import annotations

import shutil
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.core.files import whole_file
from xstitch.sources.fetch.datasets import Dataset, split_path


def find_local(folder: str, file: str) -> Path | None:
    """Find a file in the user's folder: at its path in the data set, or without subfolders."""
    paths = (Path(folder).expanduser() / file, Path(folder).expanduser() / Path(file).name)
    return next((path for path in paths if path.is_file()), None)


def unobtainable(dataset: Dataset, file: str, folder: str, mirror: str) -> str:
    """Say in one line why a file cannot be obtained, so that a run ends before it starts; empty if it can.

    Only the download shows whether the network or a mirror really has it.
    """
    if folder:
        exists = find_local(folder, file)
        return "" if exists else _not_found(dataset.dataset, file, folder, dataset.note)
    if mirror or not dataset.withdrawn:
        return ""
    return (
        f"{dataset.dataset}: no {file} ({dataset.note}); its address was {dataset.address(file)}; "
        f"set config local.{dataset.dataset} to the folder of your copy"
    )


def copy_local(dataset: str, path: str, folder: str, note: str, target: Path) -> None:
    """Copy one file of a local data set; if missing, say which file it is and why it must be local.

    If only its head is wanted, it is copied whole: readers ignore the rest.
    """
    file, _ = split_path(path)
    if not folder:
        raise InputError(only_local(dataset, file, note))
    source = find_local(folder, file)
    if source is None:
        raise InputError(_not_found(dataset, file, folder, note))
    with whole_file(target) as partial:
        shutil.copyfile(source, partial)


def only_local(dataset: str, file: str, note: str) -> str:
    """Say in one line that a file has no address, and what to do about it."""
    return f"{dataset}: {note}; put {file} into a folder and set config local.{dataset} to it"


def _not_found(dataset: str, file: str, folder: str, note: str) -> str:
    return f"{Path(folder) / file}: no such file ({dataset}: {note})"
