"""The user's own labelled texts: lines of `id TAB label TAB text`, with or without a header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines, some_rows
from xstitch.sources.tasks.places import Places
from xstitch.sources.tasks.rows import Example, check_label


def labels(task: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all labels, in the order of the configuration."""
    return tuple(task["labels"])


def files(_: str, __: Mapping[str, Any], ___: Places) -> dict[str, str]:
    """Return no paths: the configuration gives them."""
    return {}


def read(files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[Example]:
    """Stream a split; one without a file is empty."""
    if split not in files:
        return iter(())
    return some_rows(_examples(files[split], labels(task)), files[split], "text")


def _examples(path: str, legal: Sequence[str]) -> Iterator[Example]:
    lines: dict[str, int] = {}  # by id, which must be unique: predictions are matched by id
    for number, line in numbered_lines(path):
        fields = [field.strip() for field in line.split("\t")]
        if not line.strip() or (number == 1 and tuple(map(str.lower, fields)) == Example._fields):
            continue
        if len(fields) != len(Example._fields) or not all(fields):
            raise InputError(
                f"{path}:{number}: 'id TAB label TAB text' expected, not {line[:60]!r}; correct it"
            )
        example = Example(*fields)
        check_label(example.label, legal, f"{path}:{number}")
        if (first := lines.setdefault(example.id, number)) != number:
            raise InputError(f"{path}:{number}: id {example.id!r} is already on line {first}; rename one")
        yield example
