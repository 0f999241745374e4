"""The ledger of a paper's settings: the value of each, where it is from, and which tables it is for.

A row's key is a path into the configuration at scale paper. `*` in a part of it stands for any text, so that
one row can be for several entries; as the last part it stands for everything below.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from xstitch.core.errors import InputError
from xstitch.core.tsv import tsv_rows

LEDGER_COLUMNS = ("scope", "key", "value", "source", "note")
LEDGER_SUFFIX = ".settings.tsv"
COUNTED = "paper settings {}"  # column of the index with the number of settings of a class
ALL, ANY = "all", "*"
DEPARTED = "departed"
# What a source looks like, by the class it is counted in.
SOURCES = {
    "published": re.compile(r"paper \S.*"),
    "code": re.compile(r"authors' code [^\s@]+@[^\s@]+ \S.*|cited work \S.*"),
    "chosen": re.compile("chosen"),
    DEPARTED: re.compile(DEPARTED),
}
CLASSES = tuple(SOURCES)
LEGAL_SOURCES = (
    "paper SECTION, authors' code REPO@COMMIT FILE, cited work NAME, chosen, departed (with a note)"
)


@dataclass(frozen=True)
class Setting:
    """One row of a ledger."""

    scope: tuple[str, ...]  # such as Table 1; `all` for every table and figure of the paper
    key: str
    value: Any
    source: str
    note: str
    place: str  # file and line

    @property
    def kind(self) -> str:
        """The class that its source is counted in."""
        return next(kind for kind, pattern in SOURCES.items() if pattern.fullmatch(self.source))

    @cached_property
    def parts(self) -> list[str]:
        """The parts of its key."""
        return self.key.split(".")

    @cached_property
    def whole(self) -> bool:
        """Whether it is for everything below a key."""
        return self.parts[-1] == ANY

    @property
    def precision(self) -> int:
        """How much of its key is spelt out; of two rows for a value, the more precise one holds."""
        return len(self.key.replace(ANY, ""))

    def covers(self, path: tuple[str, ...]) -> bool:
        """Whether it is for the value at a path."""
        parts = self.parts[:-1] if self.whole else self.parts
        long_enough = len(path) > len(parts) if self.whole else len(path) == len(parts)
        return long_enough and all(map(fnmatchcase, path, parts))

    def is_for(self, shown: str) -> bool:
        """Whether it is for a table or figure."""
        return ALL in self.scope or shown in self.scope


def read_ledger(path: str | Path) -> list[Setting]:
    """Read a ledger; refuse a bad row in one line that names it."""
    (_, header), *lines = tsv_rows(path) or [(1, [])]
    if tuple(header) != LEDGER_COLUMNS:
        raise InputError(f"{path}:1: a ledger has the columns {' '.join(LEDGER_COLUMNS)}; correct the line")
    settings = [_setting(fields, f"{path}:{number}") for number, fields in lines]
    first: dict[str, Setting] = {}
    for setting in settings:
        earlier = first.setdefault(setting.key, setting)
        if earlier is not setting:
            raise InputError(f"{setting.place}: {setting.key} is also at {earlier.place}; delete one")
    return settings


def _setting(fields: list[str], place: str) -> Setting:
    if len(fields) != len(LEDGER_COLUMNS):
        raise InputError(f"{place}: {len(LEDGER_COLUMNS)} columns expected, not {len(fields)}; correct it")
    scope, key, value, source, note = (field.strip() for field in fields)
    if not scope or not key:
        raise InputError(f"{place}: the {'key' if scope else 'scope'} is missing; add it")
    if not any(pattern.fullmatch(source) for pattern in SOURCES.values()):
        raise InputError(f"{place}: the source {source!r} is not allowed; legal: {LEGAL_SOURCES}")
    if source == DEPARTED and not note:
        raise InputError(f"{place}: {key} departs from the paper; say why in the note")
    names = tuple(name.strip() for name in scope.split(","))
    return Setting(names, key, _value(value, place), source, note, place)


def _value(text: str, place: str) -> Any:
    """A value as written: JSON, which knows 1e-5 as a number, or YAML."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return yaml.safe_load(text) if text else ""
    except yaml.YAMLError:
        raise InputError(f"{place}: the value {text[:40]!r} is neither YAML nor JSON; correct it") from None


def count_sources(settings: Iterable[Setting], shown: str) -> dict[str, int]:
    """How many settings of a table or figure are of each class."""
    counts = Counter(setting.kind for setting in settings if setting.is_for(shown))
    return {kind: counts[kind] for kind in CLASSES}


def ledger_paper(file: str | Path) -> str:
    """The paper that a ledger is for, from the name of its file."""
    return Path(file).name.removesuffix(LEDGER_SUFFIX)


def counted_by_table(
    settings: Sequence[Setting], tables: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, str]]:
    """How many settings of each table are of each class, at scale paper.

    Empty for a paper without a ledger and for lists of languages, which depend on no setting.
    """
    counted = {}
    for number, table in tables.items():
        counts = count_sources(settings, f"Table {number}")
        empty = not settings or table.get("kind") == "languages"
        counted[number] = {COUNTED.format(kind): "" if empty else str(counts[kind]) for kind in CLASSES}
    return counted
