"""Encoders that a user has already: a transformers folder, of one's own or inside an installed package."""

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
IMAGES = "preprocessor_config.json"  # what a vision model has in the place of a tokenizer
SETTINGS = ("config.json", "tokenizer_config.json", IMAGES)
SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model")
VOCABULARIES = ("vocab.txt", "vocab.json", "merges.txt", "special_tokens_map.json", "added_tokens.json")
WANTED = {*NEEDED, *SETTINGS, *SENTENCEPIECE, *VOCABULARIES}
# Keys by which a model's configuration names Python code to fetch and run.
REMOTE_CODE = ("auto_map", "custom_pipelines")
PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt")
INSTALL = "pip install --no-deps -r requirements/real.txt"


def model_folder(encoder: Mapping[str, Any], key: str) -> Path:
    """Find the folder of an encoder that the configuration describes under `key`."""
    folder = Path(encoder["folder"]).expanduser()
    if "package" in encoder:
        folder = _package_folder(encoder["package"], key) / folder
    if not folder.is_dir():
        raise InputError(f"config: {key}.folder: {folder} is no folder; name one that transformers saved")
    return folder


def model_version(encoder: Mapping[str, Any]) -> str:
    """The version of an encoder's package, by which another one is imported anew; empty if it tells none."""
    try:
        return metadata.version(encoder["package"]) if "package" in encoder else ""
    except metadata.PackageNotFoundError:
        return ""


def model_files(folder: Path) -> list[Path]:
    """List what a transformers folder needs, and nothing else that may lie beside it."""
    sees = (folder / IMAGES).is_file() and not (folder / "tokenizer.json").is_file()
    for name in NEEDED[:-1] if sees else NEEDED:
        if not (folder / name).is_file():
            raise InputError(f"{folder}: has no {name}{_remedy(folder, name)}")
    return sorted(file for file in folder.iterdir() if file.name in WANTED)


def import_model(files: Iterable[Path], output: Path) -> None:
    """Copy a model's files to a folder, which appears whole; neither code nor pickles come with them."""
    with whole_folder(output) as partial:
        for file in files:
            if file.name in SETTINGS and (problem := unsafe_settings(file)):
                raise InputError(f"{file}: is refused ({problem}): it must hold settings and name no code")
            shutil.copyfile(file, partial / file.name)
            _refuse_damage(partial / file.name, file)
            _refuse_strangers(partial / file.name, file)


def unsafe_settings(file: Path) -> str:
    """Say why a model's configuration cannot be trusted: it asks transformers to run code, or is no JSON."""
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        return next((key for key in REMOTE_CODE if settings.get(key)), "")
    except (ValueError, AttributeError, RecursionError):
        return "no readable JSON"


def _package_folder(package: str, key: str) -> Path:
    """Find an installed package without importing it: its code is not wanted, only its files."""
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or []) if spec else []
    if not places:
        raise InputError(f"config: {key}.package: {package} is not installed: {INSTALL}")
    place = Path(places[0])
    # Relative where it can be: a project that was moved with its environment is the same project.
    return place.relative_to(Path.cwd()) if place.is_relative_to(Path.cwd()) else place


def _remedy(folder: Path, name: str) -> str:
    if name == "model.safetensors" and any(any(folder.glob(ending)) for ending in PICKLED):
        return ", only pickled weights, which can run code; save it again with safe_serialization=True"
    if name == "tokenizer.json":
        return "; load its tokenizer with AutoTokenizer and save it there"
    return "; name a folder that transformers saved"


def _refuse_strangers(copy: Path, file: Path) -> None:
    """Refuse whole files of something else: transformers would fail on them in a later job, at length."""
    if file.name == "config.json" and "model_type" not in json.loads(copy.read_bytes()):
        raise InputError(f"{file}: names no model_type; take the one that transformers saved")
    if file.name == "tokenizer.json":
        try:
            Tokenizer.from_file(str(copy))
        except Exception as problem:  # the library raises nothing narrower
            reason = " ".join(str(problem).split())[:80]
            raise InputError(
                f"{file}: no tokenizer ({reason}); load it with AutoTokenizer and save it there"
            ) from problem


def _refuse_damage(copy: Path, file: Path) -> None:
    try:
        if file.suffix == ".json":
            json.loads(copy.read_bytes())
        check_archive(copy, file.name)
    except DamageError as problem:
        raise InputError(f"{file}: {problem}; bring it there again") from problem
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{file}: no readable JSON; bring it there again") from problem
