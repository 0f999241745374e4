"""What tests of downloads share: a file to fetch, its address, and a bench that fetches without waiting."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.fetch.download import fetch
from xstitch.sources.fetch.http import Patience

DATA = random.Random(1).randbytes(400_000)
DIGEST = hashlib.sha256(DATA).hexdigest()
URL = "https://data.example/set/file.dat"
PATH = "/data.example/set/file.dat"
SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"


class Bench:
    """One target folder, its lock file, and the waits that were requested but not waited."""

    def __init__(self, folder: Path, mirror: str) -> None:
        self.target, self.lock, self.mirror = folder / "out" / "file.dat", folder / "downloads.lock", mirror
        self.waits: list[float] = []
        self.patience = Patience(timeout=(5.0, 5.0), sleep=self.waits.append)

    def fetch(self, url: str = URL, **options: object) -> None:
        options = {"mirror": self.mirror, "lock": self.lock, "patience": self.patience} | options
        fetch(url, self.target, **options)

    def refused(self, url: str = URL, **options: object) -> str:
        with pytest.raises(InputError) as caught:
            self.fetch(url, **options)
        assert "\n" not in str(caught.value)
        assert not self.target.exists()
        return str(caught.value)

    def left(self) -> list[str]:
        folder = self.target.parent
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []
