"""Check whether two runs gave the same results, and whether a run repeated finished work."""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path

from safetensors.numpy import load_file

IGNORED = {".snakemake_timestamp"}  # a time, not a result


def contents(folder: Path) -> dict[str, str]:
    """Return a digest of every result; for models, of their tensors, which files may order differently."""
    files = (file for file in sorted((folder / "results").rglob("*")) if file.is_file())
    return {str(file.relative_to(folder)): _digest(file) for file in files if file.name not in IGNORED}


def differences(actual: dict[str, str], expected: dict[str, str]) -> list[str]:
    """Return the results that differ or that only one of two runs has."""
    return sorted(name for name in actual.keys() | expected.keys() if actual.get(name) != expected.get(name))


def finished(folder: Path) -> dict[str, float]:
    """Return when each existing output was finished, according to Snakemake's records."""
    unfinished = _records(folder / ".snakemake/incomplete")
    return {
        output: json.loads(record.read_text(encoding="utf-8"))["endtime"]
        for output, record in _records(folder / ".snakemake/metadata").items()
        if output not in unfinished and (folder / output).exists()
    }


def mark_unfinished(folder: Path, output: str) -> None:
    """Mark an output as incomplete, as a job killed while writing it would have left it."""
    name = urlsafe_b64encode(output.encode()).decode()
    (folder / ".snakemake/incomplete" / name).write_text('{"external_jobid": null}', encoding="utf-8")


def _records(folder: Path) -> dict[str, Path]:
    """Return Snakemake's records by output; their names are encoded, long ones across several folders."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    encoded = ("".join(part.removeprefix("@") for part in file.relative_to(folder).parts) for file in files)
    return {urlsafe_b64decode(name).decode(): file for name, file in zip(encoded, files, strict=True)}


def redone(before: dict[str, float], after: dict[str, float]) -> int:
    """Count the finished outputs that were made again."""
    return sum(after.get(name) != time for name, time in before.items())


def _digest(file: Path) -> str:
    if file.suffix != ".safetensors":
        return hashlib.sha256(file.read_bytes()).hexdigest()
    digest = hashlib.sha256()
    for name, tensor in sorted(load_file(file).items()):
        digest.update(f"{name} {tensor.dtype} {tensor.shape}".encode() + tensor.tobytes())
    return digest.hexdigest()
