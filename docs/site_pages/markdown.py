"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines) + "\n"


def code(text: object) -> str:
    """Text as code; empty text stays empty."""
    return f"`{text}`" if str(text) else ""


def plain(text: str) -> str:
    """Text of a file that is no Markdown: its special characters mean themselves."""
    return "".join(f"\\{letter}" if letter in r"\`*_[]<>#$|{}" else letter for letter in text)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|") if "\\|" not in text else " ".join(text.split())
