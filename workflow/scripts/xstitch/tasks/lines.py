"""Lines of original data files, and the sentences that blank lines separate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from xstitch.errors import InputError

Row = TypeVar("Row")
Token = tuple[str, str]  # word, tag


class Sentence(NamedTuple):
    """Words and the tag of each."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


def numbered_lines(path: str | Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers from 1, without their ends; a line in another encoding is named."""
    # In bytes: text mode would take other characters than line feeds for line ends, and name no line.
    with Path(path).open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                text = line.decode(encoding)
            except UnicodeDecodeError as problem:
                raise InputError(
                    f"{path}:{number}: not {encoding.upper()} text ({problem.reason}); convert the file"
                ) from problem
            # The mark may begin a file; further on it is a letter, if one without width.
            yield number, (text.removeprefix("\ufeff") if number == 1 else text).rstrip("\r\n")


def group_sentences(tokens: Iterable[Token | None], path: str | Path) -> Iterator[Sentence]:
    """Join tokens to sentences, which a None ends; refuse a file without any."""
    return some_rows(_sentences(tokens), path, "sentence")


def _sentences(tokens: Iterable[Token | None]) -> Iterator[Sentence]:
    held: list[Token] = []
    for token in tokens:
        if token is not None:
            held.append(token)
        elif held:
            yield Sentence(*zip(*held, strict=True))
            held = []
    if held:
        yield Sentence(*zip(*held, strict=True))


def some_rows(rows: Iterable[Row], path: str | Path, noun: str) -> Iterator[Row]:
    """Pass rows on; refuse a file that has none."""
    empty = True
    for row in rows:
        empty = False
        yield row
    if empty:
        raise InputError(f"{path}: holds no {noun}; is it the right file, and whole?")


def check_label(label: str, legal: Sequence[str], place: str, noun: str = "label") -> str:
    """Return a label that is known; refuse another, naming its place."""
    if label not in legal:
        raise InputError(f"{place}: {noun} {label!r} is not one of {', '.join(legal)}")
    return label
