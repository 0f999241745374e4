"""Files that a user names in the configuration, by their path or by the address they are downloaded from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.sources.fetch.addresses import mirrored

DOWNLOADS = "resources/given"
SECTIONS = ("corpora", "vectors", "parallel", "tasks")  # whose entries may have a key `files`, by language
Config = Mapping[str, Any]


def given_path(value: str, key: str) -> str:
    """Where a given file lies, or will lie once it is downloaded; `key` names it in the configuration."""
    if "://" in value:
        return mirrored(value, DOWNLOADS)
    path = Path(value).expanduser()
    if not path.is_file():
        raise InputError(f"config: {key}: {value}: no such file; paths start from the folder of the run")
    return str(path)


def given_addresses(config: Config) -> dict[str, str]:
    """All addresses that the configuration gives for files, by the places their downloads get."""
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
    """Refuse files of unknown languages, vectors that come from nowhere and tasks that nothing can learn."""
    for section in SECTIONS:
        for name, entry in config[section].items():
            for language in entry.get("files", {}):
                if language not in config["languages"]:
                    key_path, legal = f"{section}.{name}.files", ", ".join(config["languages"])
                    raise InputError(f"config: {key_path}: {language!r} is not defined; legal: {legal}")
    for name, vectors in config["vectors"].items():
        if vectors["origin"] == "import":
            _require_origin(name, vectors)
        elif "files" in vectors:
            raise InputError(f"config: vectors.{name}.files: only for origin import; remove it")
    for name, task in config["tasks"].items():
        _require_training(name, task, config["source"])


def _require_origin(name: str, vectors: Config) -> None:
    named = [key for key in ("dataset", "file") if key in vectors]
    if len(named) == 1 or not (named or vectors.get("files")):
        raise InputError(f"config: vectors.{name}: needs 'dataset' and 'file', or 'files' by language")


def _require_training(name: str, task: Config, source: str) -> None:
    """A task whose files are given needs those that models are trained and chosen on."""
    splits = task.get("files", {}).get(source, {} if task["kind"] == "tsv" else None)
    for split in ("train", "dev"):
        if splits is not None and split not in splits:
            raise InputError(f"config: tasks.{name}.files.{source}: the key {split!r} is missing; add it")


def _leaves(files: Config) -> Iterator[str]:
    """A corpus and vectors have one file a language, a task has one a split, parallel text has two."""
    for value in files.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from value
        else:
            yield from _leaves(value)
