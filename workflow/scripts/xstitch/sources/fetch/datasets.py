"""The table of data sets: the address and licence of each."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from urllib.parse import quote

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines
from xstitch.sources.fetch.addresses import check_address, shown

FILE = "{file}"


@dataclass(frozen=True)
class Dataset:
    """One row of config/datasets.tsv; `url` contains {file}, is the address of one file, or is empty."""

    dataset: str
    version: str
    url: str
    sha256: str
    licence: str
    note: str

    @property
    def withdrawn(self) -> bool:
        """Whether its owner does not serve it, or not to everyone: `url` is only its place in a mirror."""
        return self.licence.startswith(("withdrawn", "restricted"))

    def address(self, file: str = "") -> str:
        """Return the address of one file of the data set; a row without {file} has only one."""
        if not self.url:
            raise InputError(f"data set {self.dataset} cannot be downloaded: {self.note}")
        if FILE not in self.url:
            if file not in ("", self.url.rpartition("/")[2]):
                raise InputError(f"data set {self.dataset} is one file, {self.url}; it has no {file!r}")
            return self.url
        if not file or file.startswith("/") or re.search(r"[\s\\?#%]|(^|/)\.{0,2}(/|$)", file):
            raise InputError(f"data set {self.dataset}: {file!r} is not a plain path below {self.url}")
        return self.url.replace(FILE, quote(file))


def head_path(file: str, head: int | None) -> str:
    """Name a file of a data set, or its first bytes, below the data set's folder."""
    return file if head is None else f"first-{head}/{file}"


def split_path(path: str) -> tuple[str, int | None]:
    """Return the file that a path stands for, and how many of its first bytes; None: all of them."""
    match = re.fullmatch(r"first-(\d+)/(.+)", path)
    return (match[2], int(match[1])) if match else (path, None)


COLUMNS = [field.name for field in fields(Dataset)]


def load_datasets(path: Path) -> dict[str, Dataset]:
    """Read and check the table; return data sets by name."""
    header, *lines = [line for _, line in numbered_lines(path)] or [""]
    if header.split("\t") != COLUMNS:
        raise InputError(
            f"{path}, line 1: the columns must be {', '.join(COLUMNS)}, separated by tabs; correct it"
        )
    datasets: dict[str, Dataset] = {}
    for number, line in enumerate(lines, start=2):
        dataset = _parse(line, f"{path}, line {number}")
        if dataset.dataset in datasets:
            raise InputError(
                f"{path}, line {number}: data set {dataset.dataset!r} is listed twice; delete one"
            )
        datasets[dataset.dataset] = dataset
    return datasets


def _parse(line: str, location: str) -> Dataset:
    """Read one row."""
    values = line.split("\t")
    if len(values) != len(COLUMNS):
        raise InputError(
            f"{location}: has {len(values)} fields separated by tabs, not {len(COLUMNS)}; correct the line"
        )
    dataset = Dataset(*(value.strip() for value in values))
    for column in ("dataset", "version"):
        value = getattr(dataset, column)
        # Both become folder names.
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", value):
            raise InputError(
                f"{location}: {column} {value!r} may only have letters, digits, '.' and '-'; rename it"
            )
    if not dataset.licence:
        raise InputError(f"{location}: licence is empty; write 'not stated' if there is none")
    _check_url(dataset, location)
    return dataset


def _check_url(dataset: Dataset, location: str) -> None:
    """Refuse an incomplete address, and a checksum without a single file."""
    if not dataset.url and not dataset.note:
        raise InputError(f"{location}: without a url, the note must say where the data comes from; add it")
    if dataset.url.count(FILE) > 1 or re.search(r"[{}]", dataset.url.replace(FILE, "")):
        raise InputError(
            f"{location}: url {shown(dataset.url)} may have {FILE} once and no other braces; correct it"
        )
    if dataset.url:
        try:
            check_address(dataset.url.replace(FILE, "file"))
        except InputError as problem:
            raise InputError(f"{location}: url {problem}") from problem
    if dataset.sha256 and not re.fullmatch(r"[0-9a-f]{64}", dataset.sha256):
        raise InputError(f"{location}: sha256 must be 64 hexadecimal digits in lower case; correct it")
    if dataset.sha256 and (FILE in dataset.url or not dataset.url):
        raise InputError(
            f"{location}: sha256 needs a row with one file; the lock file has those of the others"
        )
