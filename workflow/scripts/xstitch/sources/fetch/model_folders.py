"""Encoders that a user already has: a transformers folder, their own or one of an installed package."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from xstitch.core.errors import InputError
from xstitch.core.files import whole_folder
from xstitch.core.integrity import DamageError, check_archive

NEEDED = ("config.json", "model.safetensors", "tokenizer.json")
IMAGES = "preprocessor_config.json"  # what a vision model has instead of a tokenizer
SETTINGS = ("config.json", "tokenizer_config.json", IMAGES)
SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model")
VOCABULARIES = ("vocab.txt", "vocab.json", "merges.txt", "special_tokens_map.json", "added_tokens.json")
COPIED = {*NEEDED, *SETTINGS, *SENTENCEPIECE, *VOCABULARIES}
# Keys with which a model's configuration names Python code to fetch and run.
REMOTE_CODE = ("auto_map", "custom_pipelines")
PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt")
INSTALL = "pip install --no-deps -r requirements/real.txt"


def model_folder(encoder: Mapping[str, Any], key: str) -> Path:
    """Find the folder of an encoder that the configuration describes under `key`."""
    folder = Path(encoder["folder"]).expanduser()
    if "package" in encoder:
        folder = _package_folder(encoder["package"], key) / folder
    if not folder.is_dir():
        raise InputError(f"config: {key}.folder: {folder} is not a folder; name one that transformers saved")
    return folder


def model_version(encoder: Mapping[str, Any]) -> str:
    """Return the version of an encoder's package, so that a new one is imported again; empty if unknown."""
    try:
        return metadata.version(encoder["package"]) if "package" in encoder else ""
    except metadata.PackageNotFoundError:
        return ""


def model_files(folder: Path) -> list[Path]:
    """List the files of a transformers folder that are needed, and no others."""
    is_vision_model = (folder / IMAGES).is_file() and not (folder / "tokenizer.json").is_file()
    for name in NEEDED[:-1] if is_vision_model else NEEDED:
        if not (folder / name).is_file():
            raise InputError(f"{folder}: has no {name}{_remedy(folder, name)}")
    return sorted(file for file in folder.iterdir() if file.name in COPIED)


def import_model(files: Iterable[Path], output: Path) -> None:
    """Copy a model's files, but no code and no pickles, to a folder that appears whole or not at all."""
    with whole_folder(output) as partial:
        for file in files:
            if file.name in SETTINGS and (problem := unsafe_settings(file)):
                raise InputError(f"{file}: is refused ({problem}): it must have settings and name no code")
            shutil.copyfile(file, partial / file.name)
            _refuse_damage(partial / file.name, file)
            _refuse_other_content(partial / file.name, file)


def unsafe_settings(file: Path) -> str:
    """Say why a model's configuration is unsafe: it asks transformers to run code, or is not JSON."""
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        return next((key for key in REMOTE_CODE if settings.get(key)), "")
    except (ValueError, AttributeError, RecursionError):
        return "not readable as JSON"


def _package_folder(package: str, key: str) -> Path:
    """Find an installed package without importing it: only its files are needed, not its code."""
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or []) if spec else []
    if not folders:
        raise InputError(f"config: {key}.package: {package} is not installed: {INSTALL}")
    folder = Path(folders[0])
    # Relative if possible, so that moving a project with its environment changes nothing.
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder


def _remedy(folder: Path, name: str) -> str:
    if name == "model.safetensors" and any(any(folder.glob(ending)) for ending in PICKLED):
        return ", only pickled weights, which can run code; save it again with safe_serialization=True"
    if name == "tokenizer.json":
        return "; load its tokenizer with AutoTokenizer and save it there"
    return "; name a folder that transformers saved"


def _refuse_other_content(copy: Path, file: Path) -> None:
    """Refuse intact files of something else, on which transformers would fail in a later job, at length."""
    if file.name == "config.json" and "model_type" not in json.loads(copy.read_bytes()):
        raise InputError(f"{file}: names no model_type; take the one that transformers saved")
    if file.name == "tokenizer.json":
        try:
            Tokenizer.from_file(str(copy))
        except Exception as problem:  # the library raises nothing narrower
            reason = " ".join(str(problem).split())[:80]
            raise InputError(
                f"{file}: not a tokenizer ({reason}); load it with AutoTokenizer and save it there"
            ) from problem


def _refuse_damage(copy: Path, file: Path) -> None:
    try:
        if file.suffix == ".json":
            json.loads(copy.read_bytes())
        check_archive(copy, file.name)
    except DamageError as problem:
        raise InputError(f"{file}: {problem}; copy it there again") from problem
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{file}: not readable as JSON; copy it there again") from problem
