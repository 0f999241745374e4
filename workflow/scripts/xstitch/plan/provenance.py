"""Where tables come from: code, settings, packages and data, in one file without timestamps."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.files import read_json, whole_file
from xstitch.core.integrity import sha256_of
from xstitch.plan.chains import FIRST, chain_of
from xstitch.sources.fetch.forecast import Download
from xstitch.sources.fetch.lock import locked, read_lock

# Where data come from does not affect what is computed: their checksums identify them.
PLACES = ("mirror", "lock", "local")
PIN = re.compile(r"([A-Za-z][\w.-]*)==")


def environment(config: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Describe code, settings and packages."""
    return {
        "code": code_version(root),
        "config": config_digest(config),
        "scale": config["scale"],
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": package_versions(sorted((root / "envs").glob("*.yaml"))),
    }


def code_version(root: Path) -> dict[str, Any] | None:
    """The commit, and whether files differ from it; None unless `root` is the root of a repository."""
    if not shutil.which("git") or _git(root, "rev-parse", "--show-toplevel") != str(root.resolve()):
        return None
    return {"commit": _git(root, "rev-parse", "HEAD"), "dirty": bool(_git(root, "status", "--porcelain"))}


def config_digest(config: Mapping[str, Any]) -> str:
    """Digest all settings except those that say where data come from."""
    return _digest({key: value for key, value in config.items() if key not in PLACES})


def package_versions(environments: Iterable[Path]) -> dict[str, str | None]:
    """The installed version of every package that the workflow's environments pin."""
    names = {name for file in environments for name in PIN.findall(file.read_text(encoding="utf-8"))}
    return {name: _version(name) for name in sorted(names, key=str.lower)}


def chain_checksums(downloads: Iterable[Download], given: Iterable[str], lock: str) -> dict[str, str]:
    """Checksums of the data of all chains; other chains than the first have their own files, and a lock.

    Their addresses are the same, so that the folder of the chain goes before them.
    """
    by_chain: dict[str, list[Download]] = {FIRST: []}
    for download in downloads:
        by_chain.setdefault(chain_of(download.target), []).append(download)
    checksums = data_checksums(by_chain.pop(FIRST), given, Path(lock))
    for folder, part in sorted(by_chain.items()):
        found = data_checksums(part, [], Path(f"{folder}{lock}"))
        checksums.update({f"{folder}{name}": checksum for name, checksum in found.items()})
    return checksums


def data_checksums(downloads: Iterable[Download], given: Iterable[str], lock: Path) -> dict[str, str]:
    """Checksums of downloads, by address, and of files that no job makes, by path."""
    known = read_lock(lock)
    checksums = {}
    for download in downloads:
        entry = locked(known, download.source)
        if entry:
            checksums[entry.url] = entry.sha256
        else:
            name = download.source if "://" in download.source else download.target
            checksums[name] = data_checksum(download.target)
    checksums.update({_shortened(file): data_checksum(file) for file in given})
    return dict(sorted(checksums.items()))


@cache
def data_checksum(file: str) -> str:
    """The checksum of a file; cached, because many tables may share it and it does not change any more."""
    return sha256_of(Path(file))


def _shortened(file: str) -> str:
    """The path of a file; of an absolute one, such as in an installed package, only its last three parts."""
    return "/".join(Path(file).parts[-3:]) if Path(file).is_absolute() else file


def update(file: Path, made: Mapping[str, Mapping[str, str]], described: Mapping[str, Any]) -> None:
    """Record the tables of a run with their data; keep those of earlier runs that have not changed."""
    before = _recorded(file)
    key = _digest(described)[:16]
    tables = {
        table: entry
        for table, entry in before["tables"].items()
        if table not in made and entry["sha256"] == _checksum(table)
    }
    for table, data in made.items():
        tables[table] = {"sha256": _checksum(table), "environment": key, "data": data}
    environments = {**before["environments"], key: described}
    used = {entry["environment"] for entry in tables.values()}
    content = {
        "environments": {name: environments[name] for name in sorted(used)},
        "tables": dict(sorted(tables.items())),
    }
    with whole_file(file) as partial:
        partial.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _recorded(file: Path) -> dict[str, Any]:
    """What earlier runs recorded."""
    if not file.is_file():
        return {"tables": {}, "environments": {}}
    record = read_json(file)
    parts = [record.get(part) for part in ("tables", "environments")] if isinstance(record, dict) else []
    if not parts or not all(isinstance(part, dict) for part in parts):
        raise InputError(f"{file}: not a record of tables; delete it and run again to write a new one")
    return record


def _checksum(path: str) -> str | None:
    return sha256_of(Path(path)) if Path(path).is_file() else None


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _git(root: Path, *arguments: str) -> str:
    result = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False, encoding="utf-8"
    )
    return result.stdout.strip() if result.returncode == 0 else ""
