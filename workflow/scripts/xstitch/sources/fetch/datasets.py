"""The table of data sets: where each is downloaded from, and under which licence."""

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
    """One row of config/datasets.tsv; `url` ends in {file}, is one file's address, or is empty."""

    dataset: str
    version: str
    url: str
    sha256: str
    licence: str
    note: str

    @property
    def withdrawn(self) -> bool:
        """Whether its owner does not serve it, or not to everyone: `url` only says where it belongs."""
        return self.licence.startswith(("withdrawn", "restricted"))

    def address(self, file: str = "") -> str:
        """The address of one file of the data set; a row without {file} has only its own."""
        if not self.url:
            raise InputError(f"data set {self.dataset} cannot be downloaded: {self.note}")
        if FILE not in self.url:
            if file not in ("", self.url.rpartition("/")[2]):
                raise InputError(f"data set {self.dataset} is the one file {self.url}; it has no {file!r}")
            return self.url
        if not file or file.startswith("/") or re.search(r"[\s\\?#%]|(^|/)\.{0,2}(/|$)", file):
            raise InputError(f"data set {self.dataset}: {file!r} is not a plain path below {self.url}")
        return self.url.replace(FILE, quote(file))


COLUMNS = [field.name for field in fields(Dataset)]


def load_datasets(path: Path) -> dict[str, Dataset]:
    """Read and check the table; keys are the data sets' names."""
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


def _parse(line: str, place: str) -> Dataset:
    """Read one row."""
    values = line.split("\t")
    if len(values) != len(COLUMNS):
        raise InputError(
            f"{place}: has {len(values)} fields separated by tabs, not {len(COLUMNS)}; correct the line"
        )
    dataset = Dataset(*(value.strip() for value in values))
    for column in ("dataset", "version"):
        value = getattr(dataset, column)
        # Both become folder names.
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", value):
            raise InputError(
                f"{place}: {column} {value!r} may hold only letters, digits, '.' and '-'; rename it"
            )
    if not dataset.licence:
        raise InputError(f"{place}: licence is empty; write 'not stated' if there is none")
    _check_url(dataset, place)
    return dataset


def _check_url(dataset: Dataset, place: str) -> None:
    """An address must be complete, and a checksum needs the one file that it is of."""
    if not dataset.url and not dataset.note:
        raise InputError(f"{place}: without an url, the note must say where the data come from; add it")
    if dataset.url.count(FILE) > 1 or re.search(r"[{}]", dataset.url.replace(FILE, "")):
        raise InputError(
            f"{place}: url {shown(dataset.url)} may hold {FILE} once and no other braces; correct it"
        )
    if dataset.url:
        try:
            check_address(dataset.url.replace(FILE, "file"))
        except InputError as problem:
            raise InputError(f"{place}: url {problem}") from problem
    if dataset.sha256 and not re.fullmatch(r"[0-9a-f]{64}", dataset.sha256):
        raise InputError(f"{place}: sha256 must be 64 hexadecimal digits in lower case; correct it")
    if dataset.sha256 and (FILE in dataset.url or not dataset.url):
        raise InputError(f"{place}: sha256 needs a row of one file; the lock file keeps those of the others")
