"""The landing page of the report: the lead table, what was run, what it took, where it comes from."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from xstitch.results.landing_template import LANDING
from xstitch.results.pages import Heading, render
from xstitch.results.shown_tables import Grid

SHORT_DIGEST = 12
FEW_CLAIMS = 15


@dataclass(frozen=True)
class LeadTable:
    """The table that the report begins with, and the page that shows it whole."""

    number: str
    heading: Heading
    grids: Sequence[Grid]
    page: str


@dataclass(frozen=True)
class Claims:
    """What the papers say, and what published numbers and this run say about it; and the page with all of it.

    Records have paper, says, place, published and verdict.
    """

    page: str
    records: Sequence[Mapping[str, str]]

    @property
    def listed(self) -> Sequence[Mapping[str, str]]:
        """The claims one by one, if they are few."""
        return self.records if len(self.records) <= FEW_CLAIMS else ()

    @property
    def counted(self) -> dict[str, tuple[str, str]]:
        """How often each verdict was given, by paper: by published numbers, and in this run."""
        papers = dict.fromkeys(record["paper"] for record in self.records)
        return {paper: tuple(self._counts(paper, by) for by in ("published", "verdict")) for paper in papers}

    def _counts(self, paper: str, by: str) -> str:
        counts = Counter(record[by] for record in self.records if record["paper"] == paper)
        return ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())


@dataclass(frozen=True)
class Fact:
    """Something that was run."""

    name: str
    values: Sequence[str]


@dataclass(frozen=True)
class StageCost:
    """A stage and what its jobs took: seconds in all and of the longest, and the largest memory in MB.

    Jobs that are over in a moment are not measured.
    """

    title: str
    made: str
    jobs: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    memory_mb: float = 0.0


@dataclass(frozen=True)
class Origin:
    """Where tables come from: code, settings and packages, and the checksums of data by name."""

    described: Mapping[str, Any]
    tables: int
    data: Mapping[str, str]
    record: bytes = b""

    @property
    def commit(self) -> str:
        """The commit of the code, shortened."""
        return (self.described["code"] or {}).get("commit", "")[:SHORT_DIGEST]

    @property
    def dirty(self) -> bool:
        """Whether the code differed from its commit."""
        return (self.described["code"] or {}).get("dirty", False)

    @property
    def facts(self) -> dict[str, str]:
        """What one line each can say."""
        return {
            "code": self.commit or "not a repository",
            "settings": self.described["config"][:SHORT_DIGEST],
            "Python": self.described["python"],
            "platform": self.described["platform"],
        }

    @property
    def encoded(self) -> str:
        """The whole record, for a link that saves it."""
        return _encoded(self.record)


@dataclass(frozen=True)
class Shown:
    """A result that the report shows: its address there, its name, and what it is."""

    path: str
    name: str
    title: str


@dataclass(frozen=True)
class Figure(Shown):
    """A figure of a paper, with its caption."""

    caption: str  # HTML

    @property
    def picture(self) -> str:
        """The figure itself, as an address."""
        return f"data:image/svg+xml;base64,{_encoded(Path(self.path).read_bytes())}"


@dataclass(frozen=True)
class Landing:
    """All that the landing page shows."""

    lead: LeadTable | None
    claims: Claims | None
    warnings: Sequence[str]
    facts: Sequence[Fact]
    stages: Sequence[StageCost]
    origin: Origin | None
    shown: Mapping[str, Sequence[Shown]] = field(default_factory=dict)  # by group
    figures: Sequence[Figure] = ()

    @cached_property
    def total(self) -> StageCost:
        """All stages together."""
        return StageCost(
            "all",
            "",
            sum(stage.jobs for stage in self.stages),
            sum(stage.seconds for stage in self.stages),
            max(stage.longest for stage in self.stages),
            max(stage.memory_mb for stage in self.stages),
        )


def render_landing(landing: Landing) -> str:
    """Write the landing page, a part of an HTML page that has its own style."""
    return render(LANDING, landing=landing, time=shown_time, memory=shown_memory)


def shown_time(seconds: float) -> str:
    """Hours, minutes and seconds, as far as they are needed."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def shown_memory(megabytes: float) -> str:
    """A size in MB or GB; empty if it is not known."""
    if not megabytes:
        return ""
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.0f} MB"


def _encoded(content: bytes) -> str:
    """A file as text in short lines: the report's markup refuses long ones."""
    return base64.encodebytes(content).decode()
