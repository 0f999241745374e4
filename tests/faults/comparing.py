"""Whether two runs gave the same, and whether a run did again what was done."""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path

from safetensors.numpy import load_file

IGNORED = {".snakemake_timestamp"}  # says when, not what


def contents(folder: Path) -> dict[str, str]:
    """Digest of every result; of models their tensors, for a file may order them in another way."""
    files = (file for file in sorted((folder / "results").rglob("*")) if file.is_file())
    return {str(file.relative_to(folder)): _digest(file) for file in files if file.name not in IGNORED}


def differences(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    """Results that one run has and the other lacks, or that differ."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


def finished(folder: Path) -> dict[str, float]:
    """When each output that is there was finished, by Snakemake's records."""
    unfinished = _records(folder / ".snakemake/incomplete")
    return {
        output: json.loads(record.read_text(encoding="utf-8"))["endtime"]
        for output, record in _records(folder / ".snakemake/metadata").items()
        if output not in unfinished and (folder / output).exists()
    }


def mark_unfinished(folder: Path, output: str) -> None:
    """Record an output as a job that was killed while it wrote would have left it."""
    name = urlsafe_b64encode(output.encode()).decode()
    (folder / ".snakemake/incomplete" / name).write_text('{"external_jobid": null}', encoding="utf-8")


def _records(folder: Path) -> dict[str, Path]:
    """Snakemake's records by output; their names are encoded, those of long ones over several folders."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    encoded = ("".join(part.removeprefix("@") for part in file.relative_to(folder).parts) for file in files)
    return {urlsafe_b64decode(name).decode(): file for name, file in zip(encoded, files, strict=True)}


def redone(before: dict[str, float], after: dict[str, float]) -> int:
    """Number of finished outputs that were made again."""
    return sum(after.get(name) != time for name, time in before.items())


def _digest(file: Path) -> str:
    if file.suffix != ".safetensors":
        return hashlib.sha256(file.read_bytes()).hexdigest()
    digest = hashlib.sha256()
    for name, tensor in sorted(load_file(file).items()):
        digest.update(f"{name} {tensor.dtype} {tensor.shape}".encode() + tensor.tobytes())
    return digest.hexdigest()
