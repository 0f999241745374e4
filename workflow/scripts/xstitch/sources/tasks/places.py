"""What a reader may ask when it names the files of its data set: places, versions, names of languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

SPLITS = ("train", "dev", "test")


class Places(Protocol):
    """Where the files of data sets lie in a run."""

    @property
    def source(self) -> str:
        """The language that has a model and labels."""

    @property
    def languages(self) -> Mapping[str, Mapping[str, str]]:
        """The columns of config/languages.tsv by language."""

    def version(self, dataset: str) -> str:
        """The version of a data set."""

    def resource(self, dataset: str, file: str) -> str:
        """The place of a downloaded file; one that nobody can bring is refused."""

    def unpacked(self, dataset: str, member: str, archive: str = "") -> str:
        """The place of a file out of a data set's archive, or out of one archive within it."""
