"""Lines of texts, plain or compressed, numbered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.core.lines import decoded_lines
from xstitch.sources.text_files import DAMAGED, open_text


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Stream the lines of a text; a file that ends early is refused in one line."""
    try:
        with open_text(path) as stream:
            yield from decoded_lines(stream, path)
    except DAMAGED as problem:
        raise InputError(f"{path}: not a complete .xz or .gz file ({problem}); get it again") from problem
