"""How far a run has come: jobs by stage, what failed, how long it will take."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

LEAST_DONE = 3  # jobs that must have ended before the time to go is worth telling


@dataclass(frozen=True)
class Planned:
    """A job of the plan, and how many seconds it is expected to take; None: nobody knows."""

    rule: str
    seconds: float | None = None


@dataclass
class Stage:
    """A part of the workflow: the rules of one file."""

    jobs: int = 0
    done: int = 0
    started: float | None = None


@dataclass
class Failure:
    """A failed job: its rule, and its logs."""

    rule: str
    logs: tuple[str, ...]


@dataclass
class _Running:
    rule: str
    what: str
    started: float


@dataclass
class RunState:
    """What is planned, running, done and failed. `stages` are the names of the stages by rule."""

    stages: Mapping[str, str]
    clock: Callable[[], float] = time.monotonic
    progress: dict[str, Stage] = field(default_factory=dict)
    failures: dict[int, Failure] = field(default_factory=dict)
    stopped: bool = False

    def __post_init__(self) -> None:
        self.began = self.clock()
        self.expected: dict[str, list[float | None]] = {}
        self.running: dict[int, _Running] = {}
        self.seconds: dict[str, list[float]] = {}  # that the ended jobs took, by rule

    def plan(self, jobs: Iterable[Planned]) -> None:
        """Take in the jobs to come, in the order of the stages."""
        self.began = self.clock()
        for job in jobs:
            self.expected.setdefault(job.rule, []).append(job.seconds)
            self._stage(job.rule).jobs += 1

    @property
    def jobs(self) -> int:
        """All jobs of the plan."""
        return sum(stage.jobs for stage in self.progress.values())

    @property
    def done(self) -> int:
        """The jobs that have ended well."""
        return sum(stage.done for stage in self.progress.values())

    @property
    def elapsed(self) -> float:
        """The seconds since the first job was planned."""
        return self.clock() - self.began

    def start(self, number: int, rule: str, what: str) -> None:
        """A job begins; `what` names its output. A job that is tried again has not failed yet.

        Rules that only name targets are not part of the plan.
        """
        if rule not in self.expected:
            return
        self.failures.pop(number, None)
        self.running[number] = _Running(rule, what, self.clock())
        stage = self._stage(rule)
        stage.started = self.clock() if stage.started is None else stage.started

    def finish(self, number: int) -> str | None:
        """A job has ended well; return the name of its stage if it was the last of it."""
        job = self.running.pop(number, None)
        if job is None:
            return None
        self.seconds.setdefault(job.rule, []).append(self.clock() - job.started)
        stage = self._stage(job.rule)
        stage.done += 1
        return self.stages.get(job.rule, job.rule) if stage.done == stage.jobs else None

    def fail(self, number: int, failure: Failure) -> None:
        """A job has failed."""
        self.running.pop(number, None)
        self.failures[number] = failure

    def seconds_to_go(self) -> float | None:
        """How long the rest will take at the rate so far; None while that is not known.

        Work is counted in expected seconds: a hundred small jobs promise nothing for a large one.
        """
        if self.done < LEAST_DONE or not self.elapsed:
            return None
        worked = sum(self._work(rule, len(times)) for rule, times in self.seconds.items())
        planned = sum(self._work(rule, len(jobs)) for rule, jobs in self.expected.items())
        begun = sum(min(self.clock() - job.started, self._work(job.rule, 1)) for job in self.running.values())
        rate = (worked + begun) / self.elapsed
        return (planned - worked - begun) / rate if rate else None

    def _work(self, rule: str, jobs: int) -> float:
        """The seconds that a number of a rule's jobs are expected to take, each as long as their mean."""
        known = [seconds for seconds in self.expected.get(rule, []) if seconds is not None]
        times = known or self.seconds.get(rule) or [time for group in self.seconds.values() for time in group]
        return jobs * sum(times) / len(times)

    def _stage(self, rule: str) -> Stage:
        return self.progress.setdefault(self.stages.get(rule, rule), Stage())


def last_seconds(benchmark: str | None) -> float | None:
    """How long a job took the last time it ran here, by its benchmark file."""
    if not benchmark or not Path(benchmark).is_file():
        return None
    with Path(benchmark).open(encoding="utf-8", newline="") as stream:
        times = [float(row["s"]) for row in csv.DictReader(stream, delimiter="\t")]
    return times[-1] if times else None


def shown_time(seconds: float) -> str:
    """Minutes and seconds, or hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def jobs_in_words(number: int) -> str:
    """A number of jobs."""
    return "1 job" if number == 1 else f"{number} jobs"
