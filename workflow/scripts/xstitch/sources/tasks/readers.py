"""Readers of tasks: `xstitch.sources.tasks.NAME` reads a task whose key `kind` is NAME.

Modules are imported by name, not at the top: otherwise the digest of every task's import would cover all
readers, and an edit of one would rerun all tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from xstitch.sources.tasks.places import Places

# The kind of rows that each reader yields; xstitch.sources.tasks.rows has their columns, xstitch.models.heads
# what is learnt from them.
READERS = {
    "taxi1500": "texts",
    "marc": "texts",
    "wikimatrix": "texts",
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
    """What a reader's module provides; `task` is its section of the configuration, plus the language."""

    def labels(self, task: Mapping[str, Any]) -> tuple[str, ...]:
        """Return all labels, in the order that models number them; none where answers are spans of text."""

    def files(self, lang: str, task: Mapping[str, Any], places: Places) -> dict[str, Any]:
        """Return the paths of a language's original files by what they are; none if the task names none."""

    def read(self, files: Mapping[str, Any], split: str, task: Mapping[str, Any]) -> Iterator[tuple]:
        """Stream a split from the task's files, given under the keys that `files` returns.

        Rows have the columns listed in `xstitch.sources.tasks.rows`. A split without a file has no rows.
        """


def load_reader(name: str) -> Reader:
    """Import a reader by name."""
    return cast(Reader, import_module(reader_module(name)))


def reader_module(name: str) -> str:
    """Return the module name of a reader."""
    if name not in READERS:
        raise ValueError(f"no task reader {name!r}; there are {', '.join(READERS)}")
    return f"xstitch.sources.tasks.{name}"
