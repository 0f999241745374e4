"""Files that a user names in the configuration, by path or by the address to download them from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.sources.fetch.addresses import mirrored

DOWNLOADS = "resources/given"
SECTIONS = ("corpora", "vectors", "parallel", "tasks")  # their entries may have `files`, by language
Config = Mapping[str, Any]


def given_path(value: str, key: str) -> str:
    """The path of a given file, or the path it is downloaded to; `key` names it in the configuration."""
    if "://" in value:
        return mirrored(value, DOWNLOADS)
    path = Path(value).expanduser()
    if not path.is_file():
        raise InputError(f"config: {key}: {value}: no such file; paths are relative to the folder of the run")
    return str(path)


def given_addresses(config: Config) -> dict[str, str]:
    """All addresses that the configuration gives for files, by the paths they are downloaded to."""
    return {
        _download_place(value, f"{section}.{name}.files"): value
        for section in SECTIONS
        for name, entry in config[section].items()
        for value in _leaves(entry.get("files", {}))
        if "://" in value
    }


def _download_place(address: str, key: str) -> str:
    try:
        return mirrored(address, DOWNLOADS)
    except InputError as problem:
        raise InputError(f"config: {key}: {problem}") from problem


def check_given(config: Config) -> None:
    """Refuse tasks without training texts."""
    for name, task in config["tasks"].items():
        _require_training(name, task, config["source"])


def _require_training(name: str, task: Config, source: str) -> None:
    """Refuse a task whose given files lack the texts that models are trained on."""
    splits = task.get("files", {}).get(source, {} if task["kind"] == "tsv" else None)
    if splits is not None and "train" not in splits:
        raise InputError(f"config: tasks.{name}.files.{source}: the key 'train' is missing; add it")


def _leaves(files: Config) -> Iterator[str]:
    """Corpora and vectors have one file per language, tasks one per split, parallel sentences two."""
    for value in files.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from value
        else:
            yield from _leaves(value)
