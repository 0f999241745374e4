"""Numbered lines of original data files, so that errors can name them; JSON on such lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from xstitch.core.errors import InputError

Row = TypeVar("Row")
# No sentence or review comes near this: a longer line is not text, and would have to fit in memory.
LONGEST_LINE = 1 << 24
JSON_SPACE = re.compile(r"[ \t\n\r]*")


def numbered_lines(path: str | Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield lines without line ends, numbered from 1; a line in another encoding is named."""
    with opened(path) as stream:
        yield from decoded_lines(stream, path, encoding)


def decoded_lines(stream: BinaryIO, path: str | Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Do the same with an open file, such as a compressed one."""
    # Read as bytes: text mode splits at other characters than line feeds, and its errors name no line.
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
        # A byte order mark may begin a file; further on it is a zero-width character.
        yield number, (text.removeprefix("\ufeff") if number == 1 else text).rstrip("\r\n")


def opened(path: str | Path) -> BinaryIO:
    """Open a file for reading; an error names it."""
    try:
        return Path(path).open("rb")
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror}); check the path") from problem


def parse_json(text: str, path: str | Path, number: int = 1) -> Any:
    """Read the JSON value that begins on a line; refuse invalid JSON and text that cannot be encoded."""
    try:
        value = json.loads(text)
        # A lone surrogate is legal in JSON, but cannot be written as UTF-8.
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as problem:
        location, reason = f"{path}:{number + problem.lineno - 1}", f"{problem.msg} at column {problem.colno}"
        raise InputError(f"{location}: not valid JSON ({reason}); fetch the file again") from problem
    except (ValueError, RecursionError) as problem:
        reason = "a lone surrogate" if isinstance(problem, UnicodeEncodeError) else "too large or too deep"
        raise InputError(f"{path}:{number}: unusable JSON ({reason}); correct or delete it") from problem
    return value


def line_of(text: str, keys: Iterable[str | int]) -> int:
    """Return the line of a JSON text on which the value begins that a path of keys and indices leads to."""
    position = _skip_space(text, 0)
    for key in keys:
        position = dict(_members(text, position))[key]  # the last of repeated keys, as in json.loads
    return text.count("\n", 0, position) + 1


def _members(text: str, position: int) -> Iterator[tuple[str | int, int]]:
    """Keys or indices of the values of the object or list at a position, and where each value begins."""
    decoder, in_object, index = json.JSONDecoder(), text[position] == "{", 0
    position = _skip_space(text, position + 1)
    while text[position] not in "]}":
        key = index
        if in_object:
            key, position = decoder.raw_decode(text, position)
            position = _skip_space(text, _skip_space(text, position) + 1)  # the colon
        yield key, position
        position = _skip_space(text, decoder.raw_decode(text, position)[1])
        if text[position] == ",":
            position = _skip_space(text, position + 1)
        index += 1


def _skip_space(text: str, position: int) -> int:
    return JSON_SPACE.match(text, position).end()


def some_rows(rows: Iterable[Row], path: str | Path, noun: str) -> Iterator[Row]:
    """Pass rows on; refuse a file without any."""
    empty = True
    for row in rows:
        empty = False
        yield row
    if empty:
        raise InputError(f"{path}: holds no {noun}; is it the right file, and complete?")
