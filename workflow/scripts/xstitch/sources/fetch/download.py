"""Downloads: only a finished, verified file, or a complete model folder, gets the target's name."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from xstitch.core.errors import InputError
from xstitch.core.files import whole_folder
from xstitch.core.integrity import (
    DamageError,
    byte_bar,
    check_archive,
    check_content,
    chunks,
    first_bytes,
    sha256_of,
)
from xstitch.sources.fetch.addresses import file_name, mirrored, split_head
from xstitch.sources.fetch.http import HttpDownload, Patience, Token, check_space, save
from xstitch.sources.fetch.lock import Entry, locked, mismatch, read_lock, record
from xstitch.sources.fetch.model_folders import SENTENCEPIECE, unsafe_settings
from xstitch.sources.fetch.partial import Origin, Partial
from xstitch.sources.text_files import check_head, is_cut

# Formats that contain only data; loading other kinds of weights can run code.
MODEL_SUFFIXES = {".json", ".safetensors", ".txt"}


def fetch(
    address: str,
    target: Path,
    *,
    lock: Path,
    mirror: str = "",
    sha256: str | None = None,
    token: Token | None = None,
    patience: Patience | None = None,
) -> None:
    """Download a file or its head to `target`, from the mirror if there is one, verified or not at all.

    The lock has the checksum of what was asked for: of the head, unless the file turns out to be shorter.
    """
    url, head = split_head(address)
    source = mirrored(url, mirror)
    known = locked(read_lock(lock), address)
    if sha256 and known and known.sha256 != sha256:
        raise InputError(f"{url}: sha256 is {sha256} in the config but {known.sha256} in {lock}; correct one")
    expected = sha256 or (known.sha256 if known else None)
    partial = Partial(Path(target))
    try:
        if "://" in source:
            HttpDownload(url, source, partial, token, patience or Patience(), head).run()
        else:
            _copy(url, Path(source), partial, head)
        digest = _verify(url, partial, expected, head)
        if expected and digest != expected:
            partial.discard()
            raise mismatch(known.url if known else address, expected, digest, None if sha256 else lock)
        if not expected:
            record(lock, Entry(address if is_cut(partial.file, head) else url, digest, partial.size))
        partial.finish()
    except OSError as problem:
        raise InputError(f"{url}: cannot be saved as {target} ({problem.strerror or problem})") from problem


def fetch_model(
    repo: str,
    revision: str,
    files: Sequence[str],
    folder: Path,
    *,
    lock: Path,
    mirror: str = "",
    token: Token | None = None,
    patience: Patience | None = None,
) -> None:
    """Download a hub model's files, but no code or pickles, to a folder that appears whole or not at all."""
    addresses = model_addresses(repo, revision, files)
    folder = Path(folder)
    # Finished and partial files wait here under a stable name, so that nothing is downloaded twice.
    parts = folder.with_name(f".{folder.name}.{revision[:12]}.parts")
    # Small files first, so that a refused configuration costs no download of weights.
    for file in sorted(files, key=lambda name: (name.endswith(".safetensors"), name)):
        if not (parts / file).exists():
            fetch(addresses[file], parts / file, lock=lock, mirror=mirror, token=token, patience=patience)
        if file.endswith("config.json"):
            _refuse_remote_code(repo, parts, file)
    with whole_folder(folder) as partial:
        for file in files:
            (partial / file).parent.mkdir(parents=True, exist_ok=True)
            (parts / file).replace(partial / file)
    shutil.rmtree(parts)


def model_addresses(repo: str, revision: str, files: Sequence[str]) -> dict[str, str]:
    """Return the addresses of a hub model's files in order; refuse what is not pinned or could run code."""
    _check_model(repo, revision, files)
    return {file: f"https://huggingface.co/{repo}/resolve/{revision}/{file}" for file in files}


def _verify(url: str, partial: Partial, expected: str | None, head: int | None) -> str:
    """Check the bytes and return their checksum; remove bad ones.

    An archive with a known checksum is not tested by unpacking, which could take an hour. A file that has all
    bytes of its head may lack its end; a shorter one must be whole.
    """
    check = check_head if is_cut(partial.file, head) else check_archive
    try:
        check_content(partial.file, file_name(url))
        if not expected:
            check(partial.file, file_name(url))
    except DamageError as problem:
        partial.discard()
        raise InputError(f"{url}: {problem}; nothing was kept, run again or check the address") from problem
    return sha256_of(partial.file)


def _copy(url: str, source: Path, partial: Partial, head: int | None) -> None:
    """Copy a file or its head from a mirror folder; bytes, not links, so that the mirror can be unmounted."""
    if not source.is_file():
        raise InputError(f"{url}: not in the mirror; put it at {source}, or set `mirror` in the config to ''")
    size = source.stat().st_size if head is None else min(head, source.stat().st_size)
    partial.begin(Origin(str(source), None, size))
    check_space(url, partial, size)
    with source.open("rb") as stream:
        save(first_bytes(chunks(stream), head), partial, byte_bar(source.name, size))


def _check_model(repo: str, revision: str, files: Sequence[str]) -> None:
    """Refuse what is not pinned or could run code, before any download."""
    if not re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)?", repo, re.ASCII):
        raise InputError(f"model {repo!r}: must be a hub name such as owner/name")
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise InputError(
            f"model {repo}: revision {revision!r} can move; pin a commit of 40 hexadecimal digits"
        )
    if not files or len(set(files)) != len(files):
        raise InputError(f"model {repo}: files must be a list without repetitions, such as config.json")
    for file in files:
        path = PurePosixPath(file)
        if path.name not in SENTENCEPIECE and path.suffix not in MODEL_SUFFIXES:
            raise InputError(
                f"model {repo}: {file} may contain code; only safetensors, json and txt are downloaded"
            )
        if not re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)*", file, re.ASCII):
            raise InputError(f"model {repo}: {file!r} is not a plain file name")


def _refuse_remote_code(repo: str, parts: Path, file: str) -> None:
    """Refuse a configuration that asks transformers to run code from the repository."""
    if problem := unsafe_settings(parts / file):
        shutil.rmtree(parts)
        raise InputError(
            f"model {repo}: {file} is refused ({problem}): it must have settings and name no code"
        )
