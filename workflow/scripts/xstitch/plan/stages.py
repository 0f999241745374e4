"""The seven stages that a reader sees, and what the jobs of each took, by their benchmark files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from xstitch.results.landing import StageCost


class Stage(NamedTuple):
    """A stage in words, and the rule files (workflow/rules/NAME.smk) that it consists of."""

    title: str
    made: str
    files: tuple[str, ...]


STAGES = (
    Stage("Fetch", "data sets, models", ("world", "download")),
    Stage("Read", "texts, lexica, labels", ("corpora", "lexica", "parallel", "tasks")),
    Stage("Represent", "vectors, encoders", ("vectors", "encoders", "adapters")),
    Stage("Connect", "anchors, alignments", ("align", "anchors", "bootstrap")),
    Stage("Train", "fine-tune, stitch, adapt", ("stitch", "finetune", "adapt")),
    Stage("Score", "every model and seed", ("evaluate",)),
    Stage(
        "Show", "tables, figures, reports", ("tables", "figures", "claims", "reports", "export", "recommend")
    ),
)


def stage_costs(jobs: Iterable[tuple[str, str]], rule_files: Mapping[str, str]) -> list[StageCost]:
    """Sum up by stage what jobs took: pairs of a rule and a benchmark file, which may be empty.

    `rule_files` names the rule file of every rule.
    """
    by_file = {file: stage for stage in STAGES for file in stage.files}
    measured: dict[Stage, list[tuple[float, float] | None]] = {stage: [] for stage in STAGES}
    for rule, benchmark in jobs:
        if stage := by_file.get(rule_files.get(rule, "")):
            measured[stage].append(_measured(benchmark))
    return [_cost(stage, found) for stage, found in measured.items()]


def _cost(stage: Stage, jobs: list[tuple[float, float] | None]) -> StageCost:
    known = [job for job in jobs if job]
    seconds = [taken for taken, _ in known]
    memory = max((peak for _, peak in known), default=0.0)
    return StageCost(stage.title, stage.made, len(jobs), sum(seconds), max(seconds, default=0.0), memory)


def _measured(benchmark: str) -> tuple[float, float] | None:
    """Seconds and peak memory (MB) of a job's last run; None if nobody measured them.

    Jobs that end within a moment leave no memory in their files.
    """
    if not benchmark or not Path(benchmark).is_file():
        return None
    with Path(benchmark).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return (_number(rows[-1].get("s")), _number(rows[-1].get("max_rss"))) if rows else None


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
