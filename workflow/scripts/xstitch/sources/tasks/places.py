"""What a reader may ask to find the files of its data set: paths, versions, names of languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

SPLITS = ("train", "dev", "test")


class Places(Protocol):
    """Where a run keeps the files of data sets."""

    @property
    def source(self) -> str:
        """The language with a model and labels."""

    @property
    def languages(self) -> Mapping[str, Mapping[str, str]]:
        """The columns of config/languages.tsv by language."""

    def version(self, dataset: str) -> str:
        """The version of a data set."""

    def copied(self, dataset: str, file: str) -> bool:
        """Whether the user has a copy of a file that cannot be downloaded."""

    def resource(self, dataset: str, file: str) -> str:
        """The path of a downloaded file; one that cannot be obtained is refused."""

    def unpacked(self, dataset: str, member: str, archive: str = "") -> str:
        """The path of a file from a data set's archive, or from an archive within that."""
