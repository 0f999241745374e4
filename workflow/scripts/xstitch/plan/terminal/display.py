"""A run in few lines: one per finished stage, one for what goes on now, and at the end what failed and why.

Takes the place of Snakemake's own handler on the terminal. Everything else that Snakemake has to say is in
its log under .snakemake/log, and on the terminal with --verbose.
"""

from __future__ import annotations

import logging
import signal
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text
from snakemake_interface_logger_plugins.common import LogEvent

from xstitch.plan.terminal.state import Failure, Planned, RunState, jobs_in_words, shown_time

ERROR = "error: "  # how jobs begin the line that says what is wrong (xstitch.core.job)
LAST_LINES = 15  # of a log without such a line: the end of a traceback
SILENCE = 60.0  # seconds between lines on how far the run is, where there is no terminal
NOTHING = "Nothing to be done"
# What Snakemake says of a failed job besides its event.
REPEATED = ("RuleException:", "Exiting because a job execution failed", "At least one job did not complete")


class RunDisplay(logging.Handler):
    """Shows the events of a run; the last lines come with `close_run`."""

    def __init__(self, state: RunState, stream: TextIO) -> None:
        super().__init__()
        self.state = state
        self.console = Console(file=stream, highlight=False, soft_wrap=True)
        self.live = Live(get_renderable=self._now, console=self.console, transient=True, refresh_per_second=2)
        self.said = state.clock()
        self.events: dict[str | None, Callable[[logging.LogRecord], None]] = {
            LogEvent.JOB_INFO: self._begun,
            LogEvent.JOB_FINISHED: self._finished,
            LogEvent.JOB_ERROR: self._failed,
            LogEvent.GROUP_ERROR: self._group_failed,
            None: self._told,
            LogEvent.ERROR: self._told,
        }

    def begin(self, jobs: Iterable[Planned], place: str, again: Iterable[str] = ()) -> None:
        """The plan is made: say how much there is to do, where, and why finished jobs run again."""
        self.state.plan(jobs)
        stages = len(self.state.progress)
        self.say(f"{jobs_in_words(self.state.jobs)} in {stages} stage{'s' * (stages != 1)} {place}")
        for reason, count in Counter(again).most_common():
            self.say(f"  {jobs_in_words(count)} again: {reason}")
        if self.console.is_terminal:
            self.live.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Handle one event of Snakemake's."""
        try:
            handle = self.events.get(getattr(record, "event", None))
            if handle:
                handle(record)
        except Exception:
            self.handleError(record)

    def notice_interrupts(self) -> None:
        """Note Ctrl-C at once: the jobs that it ends report their failure before Snakemake has seen it."""
        previous = signal.getsignal(signal.SIGINT)

        def interrupted(number: int, frame: FrameType | None) -> None:
            self.state.stopped = True
            if callable(previous):
                previous(number, frame)

        signal.signal(signal.SIGINT, interrupted)

    def say(self, line: str, style: str = "") -> None:
        """Print a line above the live one."""
        self.console.print(Text(line, style=style))
        self.said = self.state.clock()

    def _begun(self, record: logging.LogRecord) -> None:
        what = record.output[0] if record.output else ""
        self.state.start(record.jobid, record.rule_name, str(what).removeprefix("results/"))

    def _finished(self, record: logging.LogRecord) -> None:
        if stage := self.state.finish(record.job_id):
            part = self.state.progress[stage]
            taken = shown_time(self.state.clock() - part.started)
            self.say(f"  {stage:<12}{jobs_in_words(part.jobs):>9}  {taken:>8}")
        elif not self.console.is_terminal and self.state.clock() - self.said > SILENCE:
            self.say(f"  {self._progress()}")

    def _failed(self, record: logging.LogRecord) -> None:
        self._take(record.jobid, Failure(record.rule_name, tuple(map(str, record.log))))

    def _group_failed(self, record: logging.LogRecord) -> None:
        for job in record.job_error_info:
            self._take(job["jobid"], Failure(job["rule_name"], tuple(map(str, job["log"]))))

    def _take(self, number: int, failure: Failure) -> None:
        """Explain a failure at once, unless the user stopped the run, which ends all of its jobs."""
        if not self.state.stopped:
            self.state.fail(number, failure)
            self._explain([failure])

    def _explain(self, failures: Iterable[Failure]) -> None:
        for line in reasons(failures):
            self.say(line, "red")

    def _told(self, record: logging.LogRecord) -> None:
        """Anything that is no event: warnings and errors are shown, the rest only in Snakemake's log."""
        message = record.getMessage() if record.msg else ""
        if NOTHING in message:
            self.say(message.strip())
        elif record.levelno >= logging.WARNING and not (self.state.stopped or _is_repeated(message)):
            self.say(message.strip(), "red" if record.levelno >= logging.ERROR else "yellow")

    def _now(self) -> Text:
        return Text(f"  {self._progress()}{self._running()}", style="cyan", no_wrap=True, overflow="ellipsis")

    def _progress(self) -> str:
        """How many jobs are done, and how long the others will take."""
        left = self.state.seconds_to_go()
        to_go = "" if left is None else f", about {shown_time(left)} to go"
        return f"{self.state.done} of {jobs_in_words(self.state.jobs)} done{to_go}"

    def _running(self) -> str:
        jobs = [f"{job.rule} {job.what}" for job in self.state.running.values()]
        return f"; {', '.join(jobs)}" if jobs else ""

    def close_run(self, success: bool) -> None:
        """The last lines: what was done, or every reason for which it was not."""
        self.live.stop()
        done, all_jobs, taken = self.state.done, self.state.jobs, shown_time(self.state.elapsed)
        if success:
            self.say(f"done: {jobs_in_words(done)} in {taken}", "green")
        elif self.state.stopped:
            self.say(
                f"stopped: {done} of {jobs_in_words(all_jobs)} done; the same command goes on from there"
            )
        else:
            count = len(self.state.failures)
            self.say(
                f"failed: {jobs_in_words(count)}, {done} of {all_jobs} are done after {taken}", "bold red"
            )
            self._explain(self.state.failures.values())


def reasons(failures: Iterable[Failure]) -> list[str]:
    """Why jobs failed, by their logs: each reason once, with the jobs that it ended and their logs."""
    places: dict[tuple[str, ...], list[str]] = {}
    for failure in failures:
        for log in failure.logs or ("",):
            place = f"{failure.rule}, see {log}" if log else failure.rule
            places.setdefault(_errors_of(log), []).append(f"  ({place})")
    return [line for errors, jobs in places.items() for line in (*errors, *jobs)]


def _errors_of(log: str) -> tuple[str, ...]:
    """The error lines of a log, or how it ends."""
    written = _lines_of(log)
    errors = tuple(line for line in written if line.startswith(ERROR))
    return errors or tuple(f"  {line}" for line in written[-LAST_LINES:])


def _lines_of(log: str) -> list[str]:
    """The lines of a log; of a progress bar, which rewrites its line, only the last state."""
    if not Path(log).is_file():
        return []
    text = Path(log).read_text(encoding="utf-8", errors="replace")
    return [line.rpartition("\r")[2] for line in text.split("\n") if line.strip()]


def _is_repeated(message: str) -> bool:
    return any(text in message for text in REPEATED)
