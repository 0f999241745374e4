"""An unfinished download: its bytes so far, and what is needed to continue it safely."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from xstitch.core.files import whole_file


@dataclass(frozen=True)
class Origin:
    """Where the bytes come from, their version, and how many there will be."""

    source: str
    validator: str | None
    size: int | None


class Partial:
    """`<target>.part` and a note next to it; both survive a killed job."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.file = target.with_name(target.name + ".part")
        self.note = target.with_name(target.name + ".part.json")

    @property
    def size(self) -> int:
        """The number of bytes so far."""
        return self.file.stat().st_size if self.file.exists() else 0

    def begin(self, origin: Origin) -> None:
        """Start over; the note is on disk before the first byte, so that the origin of all bytes is known."""
        self.discard()
        self.target.parent.mkdir(parents=True, exist_ok=True)
        if origin.validator:
            with whole_file(self.note) as partial:
                partial.write_text(json.dumps(vars(origin)), encoding="utf-8")

    def origin(self, source: str) -> Origin | None:
        """Return the origin of the bytes so far, if they came from `source` and can be continued."""
        try:
            origin = Origin(**json.loads(self.note.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        return origin if origin.source == source and origin.validator and self.size else None

    def cut(self, size: int) -> None:
        """Drop what follows the first bytes, if an earlier run wanted more of the file."""
        if self.size > size:
            os.truncate(self.file, size)

    def finish(self) -> None:
        """Rename the verified bytes to the target."""
        self.file.replace(self.target)
        self.note.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the bytes and the note."""
        self.file.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)
