"""Lines of original data files, with their numbers, so that errors can name them; JSON on such lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from xstitch.core.errors import InputError

Row = TypeVar("Row")
# No sentence or review comes near it: such a line is no text, and would be held in memory whole.
LONGEST_LINE = 1 << 24
JSON_SPACE = re.compile(r"[ \t\n\r]*")


def numbered_lines(path: str | Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers from 1, without their ends; a line in another encoding is named."""
    with opened(path) as stream:
        yield from decoded_lines(stream, path, encoding)


def decoded_lines(stream: BinaryIO, path: str | Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Do the same with a file that is open, such as a packed one."""
    # In bytes: text mode would take other characters than line feeds for line ends, and name no line.
    lines = iter(lambda: stream.readline(LONGEST_LINE + 1), b"")
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            longest = f"{LONGEST_LINE >> 20} MB"
            raise InputError(f"{path}:{number}: a line of more than {longest}; is it the right file?")
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError as problem:
            raise InputError(
                f"{path}:{number}: not {encoding.upper()} text ({problem.reason}); convert the file"
            ) from problem
        # The mark may begin a file; further on it is a letter, if one without width.
        yield number, (text.removeprefix("\ufeff") if number == 1 else text).rstrip("\r\n")


def opened(path: str | Path) -> BinaryIO:
    """Open a file for reading; one that cannot be opened is named."""
    try:
        return Path(path).open("rb")
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror}); check the path") from problem


def parse_json(text: str, path: str | Path, number: int = 1) -> Any:
    """Read the JSON value that begins on a line; refuse what is none, and text that no file could hold."""
    try:
        value = json.loads(text)
        # Half of a letter outside the basic plane is legal in JSON, but is no text.
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as problem:
        place, reason = f"{path}:{number + problem.lineno - 1}", f"{problem.msg} at column {problem.colno}"
        raise InputError(f"{place}: not whole JSON ({reason}); fetch the file again") from problem
    except (ValueError, RecursionError) as problem:
        reason = "half a letter" if isinstance(problem, UnicodeEncodeError) else "too large or too deep"
        raise InputError(f"{path}:{number}: JSON of no use ({reason}); correct or delete it") from problem
    return value


def line_of(text: str, keys: Iterable[str | int]) -> int:
    """Number the line on which the value begins that keys and numbers lead to in a JSON text."""
    at = _behind_space(text, 0)
    for key in keys:
        at = dict(_members(text, at))[key]  # of a key that stands twice, the last: so has the parser it
    return text.count("\n", 0, at) + 1


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Names or numbers of the values of the object or list at a place, and where each begins."""
    decoder, in_object, number = json.JSONDecoder(), text[at] == "{", 0
    at = _behind_space(text, at + 1)
    while text[at] not in "]}":
        name = number
        if in_object:
            name, at = decoder.raw_decode(text, at)
            at = _behind_space(text, _behind_space(text, at) + 1)  # the colon
        yield name, at
        at = _behind_space(text, decoder.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _behind_space(text, at + 1)
        number += 1


def _behind_space(text: str, at: int) -> int:
    return JSON_SPACE.match(text, at).end()


def some_rows(rows: Iterable[Row], path: str | Path, noun: str) -> Iterator[Row]:
    """Pass rows on; refuse a file that has none."""
    empty = True
    for row in rows:
        empty = False
        yield row
    if empty:
        raise InputError(f"{path}: holds no {noun}; is it the right file, and whole?")
