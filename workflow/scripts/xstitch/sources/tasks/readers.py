"""Readers of tasks: one whose key `kind` is NAME is read by the module `xstitch.sources.tasks.NAME`.

Modules are imported by name, not above: otherwise the digest of every task's import would hold the code of
all readers, and an edit of one would run all tasks again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from xstitch.sources.tasks.places import Places

# What the rows of a reader are; xstitch.sources.tasks.rows has their columns, xstitch.models.heads what is
# learnt from them.
READERS = {
    "taxi1500": "texts",
    "marc": "texts",
    "tsv": "texts",
    "xnli": "pairs",
    "squad": "questions",
    "tydiqa": "questions",
    "panx": "sentences",
    "wikiann": "sentences",
    "conll": "sentences",
    "universal_dependencies": "sentences",
    "tatoeba": "translations",
}


class Reader(Protocol):
    """What a reader's module has; `task` is the task's section of the configuration, with its language."""

    def labels(self, task: Mapping[str, Any]) -> tuple[str, ...]:
        """All labels, in the order that models number them; none where answers are stretches of text."""

    def files(self, lang: str, task: Mapping[str, Any], places: Places) -> dict[str, Any]:
        """Where the original files of a language lie, by what they are; none if the task names none."""

    def read(self, files: Mapping[str, Any], split: str, task: Mapping[str, Any]) -> Iterator[tuple]:
        """Stream a split out of the task's files, which have the names that `files` gives them.

        Rows have the columns that `xstitch.sources.tasks.rows` gives them. A split without a file has none.
        """


def load_reader(name: str) -> Reader:
    """Import the reader of a name."""
    return cast(Reader, import_module(reader_module(name)))


def reader_module(name: str) -> str:
    """Name the module of a reader."""
    if name not in READERS:
        raise ValueError(f"no reader {name!r} of tasks; there are {', '.join(READERS)}")
    return f"xstitch.sources.tasks.{name}"
