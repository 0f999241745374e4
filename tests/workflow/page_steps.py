"""Pages that are followed as written: files to write and commands to run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Step:
    """A file to write (`name`), or commands to run (no name)."""

    name: str | None
    text: str

    @property
    def commands(self) -> list[list[str]]:
        """The commands, word by word."""
        return [line.split() for line in self.text.splitlines() if line.strip()]


def steps(page: Path) -> list[Step]:
    """What a page asks its reader to do, in order: blocks of sh, and blocks that have a file's name."""
    blocks = FENCE.findall(page.read_text(encoding="utf-8"))
    return [Step(name or None, text) for language, name, text in blocks if name or language == "sh"]
