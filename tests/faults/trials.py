"""A copy of the project in which the workflow is disturbed: its processes, its state and its verdict."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from comparing import contents, differences, finished, redone
from project_copy import ENVIRONMENT, TABLE, copy_project, shrink_project

SCRIPT = re.compile(r"\.snakemake/scripts/tmp\w+\.(\w+)\.py$")
SAME = "identical, nothing twice"
SECONDS = 3600  # for one run, on a busy machine
SAVING = {"XSTITCH_CHECKPOINT_SECONDS": "0"}  # a checkpoint at every step: trainings take a second here


@dataclass(frozen=True)
class Job:
    """A running script."""

    process: psutil.Process
    rule: str

    @property
    def age(self) -> float:
        """Seconds since it started."""
        return time.time() - self.process.create_time()


@dataclass
class Trial:
    """A copy of the project, the work it lost to faults, and the work it did twice."""

    folder: Path
    targets: tuple[str, ...] = (TABLE,)
    lost: float = 0.0
    again: int = 0
    runs: int = 0
    known: dict[str, float] = field(default_factory=dict)

    def start(self, *arguments: str) -> subprocess.Popen:
        """Start the command, the same every time, after noting the finished outputs."""
        self.note()
        self.runs += 1
        with self.log.open("w", encoding="utf-8") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "snakemake", *self.targets, "--cores", "2", *arguments],
                cwd=self.folder,
                env=ENVIRONMENT | SAVING,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def log(self) -> Path:
        """The file that the last run printed to."""
        return self.folder / f"run{self.runs}.txt"

    @property
    def printed(self) -> str:
        """What the last run printed."""
        return self.log.read_text(encoding="utf-8")

    def run(self, *arguments: str) -> int:
        """Run the command to its end and return its exit code."""
        return self.start(*arguments).wait(SECONDS)

    def note(self) -> None:
        """Count the finished outputs that were made again since the last time."""
        now = finished(self.folder)
        self.again += redone(self.known, now)
        self.known = now

    def wait_for_job(self, main: subprocess.Popen, rule: str) -> Job | None:
        """Wait for a job of a rule; return None if the run ends first."""
        while main.poll() is None:
            for job in running_jobs(main):
                if job.rule == rule:
                    return job
            time.sleep(0.05)
        return None

    def verdict(self, expected: dict[str, str]) -> str:
        """Say whether the results are those of an undisturbed run and no finished work was repeated."""
        self.note()
        if different := differences(contents(self.folder), expected):
            return f"{len(different)} results differ, the first {different[0]}"
        return f"{self.again} finished outputs made again" if self.again else SAME


def running_jobs(main: subprocess.Popen) -> list[Job]:
    """Return the scripts that a main process is running."""
    jobs = []
    with suppress(psutil.Error):  # it has just ended
        for process in psutil.Process(main.pid).children(recursive=True):  # some are forks of its child
            with suppress(psutil.Error, IndexError):
                if script := SCRIPT.search(process.cmdline()[-1]):
                    jobs.append(Job(process, script.group(1)))
    return jobs


def new_trial(folder: Path, *targets: str) -> Trial:
    """Make a trial from scratch, of the lead table if no target is named."""
    project = copy_project(folder)
    shrink_project(project)
    return Trial(folder, targets or (TABLE,))


def late_trial(folder: Path, reference: Path, *missing: str, targets: tuple[str, ...] = (TABLE,)) -> Trial:
    """Make a trial in which the lead table is done except for scores, the table and what is `missing`."""
    shutil.copytree(reference, folder, symlinks=True)
    for name in ("scores", "predictions", "tables", *missing):
        shutil.rmtree(folder / "results" / name, ignore_errors=True)
    return Trial(folder, targets)


def kill(job: Job) -> float:
    """Kill a job as the kernel does when out of memory; return the seconds of work lost."""
    age = job.age
    job.process.send_signal(signal.SIGKILL)
    return age
