"""Readers of labelled texts: tasks whose key `reader` is NAME are read by the module `xstitch.tasks.NAME`.

Modules are imported by name, not above: otherwise the digest of every task's import would hold the code of
all readers, and an edit of one would run all tasks again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol, cast

from xstitch.tasks.examples import Example

READERS = ("taxi1500", "marc", "tsv")  # of sequence classification: one text, one label


class Reader(Protocol):
    """What a reader's module has; `task` is the task's section of the configuration."""

    def labels(self, task: Mapping[str, Any]) -> tuple[str, ...]:
        """All labels, in the order that models number them."""

    def read(self, files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[Example]:
        """Stream a split out of the task's files, which have the names that `task_input` gives them."""


def load_reader(name: str) -> Reader:
    """Import the reader of a name."""
    return cast(Reader, import_module(reader_module(name)))


def reader_module(name: str) -> str:
    """Name the module of a reader."""
    if name not in READERS:
        raise ValueError(f"no reader {name!r} of labelled texts; there are {', '.join(READERS)}")
    return f"xstitch.tasks.{name}"
