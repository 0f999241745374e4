"""Verdicts kept from run to run, each with a digest of the mutant and the tests that it depends on."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from mutations import Mutant


class VerdictFile:
    """A file that grows by a line for every verdict, so that an interrupted run can go on."""

    def __init__(self, file: Path, tests: list[Path]) -> None:
        self.file = file
        self.tests = [test.read_text(encoding="utf-8") for test in tests]
        self.known = self._read()

    def _read(self) -> dict[str, str]:
        """Read the verdicts by digest; a last line that was cut off counts for nothing."""
        if not self.file.is_file():
            return {}
        lines = self.file.read_text(encoding="utf-8").split("\n")[:-1]
        return dict(line.split("\t") for line in lines if line.count("\t") == 1)

    def verdict(self, mutant: Mutant) -> str | None:
        """Return the verdict that these tests have given, if they have."""
        return self.known.get(self._digest(mutant))

    def add(self, mutant: Mutant, verdict: str) -> None:
        """Keep a verdict."""
        self.known[self._digest(mutant)] = verdict
        self.file.parent.mkdir(exist_ok=True)
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(f"{self._digest(mutant)}\t{verdict}\n")

    def _digest(self, mutant: Mutant) -> str:
        return sha256("\0".join([mutant.source, *self.tests]).encode()).hexdigest()
