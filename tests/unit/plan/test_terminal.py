"""What a run shows: events as Snakemake sends them go in, lines come out."""

import io
import logging
import signal
from types import SimpleNamespace

import pytest
from snakemake.logging import ColorizingTextHandler, LoggerManager
from snakemake_interface_logger_plugins.common import LogEvent

from xstitch.plan.terminal.display import RunDisplay, reasons
from xstitch.plan.terminal.state import Failure, Planned, RunState, last_seconds, shown_time
from xstitch.plan.terminal.targets import explain

STAGES = {"sample_corpus": "corpora", "finetune_model": "finetune", "make_table": "tables"}
JOBS = [Planned("sample_corpus", 2), Planned("finetune_model", 30), Planned("finetune_model", 30)]


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Shown:
    """A display on a stream that is no terminal, and events for it."""

    def __init__(self, jobs=JOBS):
        self.clock, self.stream = Clock(), io.StringIO()
        self.display = RunDisplay(RunState(STAGES, self.clock), self.stream)
        self.display.begin(jobs, "on 2 cores")

    def event(self, event, level=logging.INFO, message="", **fields):
        record = logging.LogRecord("snakemake", level, "", 0, message, None, None)
        record.__dict__.update({**({"event": event} if event else {}), **fields})
        self.display.handle(record)

    def start(self, number, rule, *output):
        self.event(LogEvent.JOB_INFO, jobid=number, rule_name=rule, output=list(output))

    def finish(self, number):
        self.event(LogEvent.JOB_FINISHED, job_id=number)

    def fail(self, number, rule, *logs):
        self.event(LogEvent.JOB_ERROR, logging.ERROR, "Error", jobid=number, rule_name=rule, log=list(logs))

    @property
    def lines(self):
        return self.stream.getvalue().splitlines()


def test_a_run_is_a_line_for_the_plan_one_per_stage_and_one_for_the_end():
    shown = Shown()
    shown.start(1, "sample_corpus", "results/corpora/mini/qaa.parquet")
    shown.clock.now = 2
    shown.finish(1)
    for number, end in ((2, 40), (3, 75)):
        shown.start(number, "finetune_model", "results/models/x")
        shown.clock.now = end
        shown.finish(number)
    shown.display.close_run(True)
    assert shown.lines == [
        "3 jobs in 2 stages on 2 cores",
        "  corpora         1 job      0:02",
        "  finetune       2 jobs      1:13",
        "done: 3 jobs in 1:15",
    ]


def test_what_runs_again_because_the_library_changed_is_said_with_the_modules():
    shown = Shown()
    shown.display.begin(JOBS, "on 2 cores", ["xstitch.a changed", "xstitch.b changed", "xstitch.b changed"])
    assert shown.lines[-2:] == ["  2 jobs again: xstitch.b changed", "  1 job again: xstitch.a changed"]


def test_without_a_terminal_a_long_silence_ends_with_how_far_the_run_is():
    shown = Shown([Planned("finetune_model", 100.0)] * 6)
    for number in range(5):
        shown.start(number, "finetune_model")
        shown.clock.now += 40
        shown.finish(number)
    # One line a minute: after 80 s, when the rate of two jobs is not worth telling, and after 160 s. Then 400
    # of 600 expected seconds took 160 s: the other 200 will take 80.
    assert shown.lines[1:] == ["  2 of 6 jobs done", "  4 of 6 jobs done, about 1:20 to go"]


def test_time_to_go_counts_work_and_not_jobs():
    clock = Clock()
    state = RunState(STAGES, clock)
    state.plan([Planned("sample_corpus", 1.0)] * 10 + [Planned("finetune_model", 190.0)])
    for number in range(10):
        state.start(number, "sample_corpus", "")
        clock.now += 2  # half as fast as expected
        state.finish(number)
    assert state.seconds_to_go() == pytest.approx(380)
    state.start(10, "finetune_model", "")
    clock.now += 80  # of which 80 count: 90 expected seconds in 100
    assert state.seconds_to_go() == pytest.approx((200 - 90) / 0.9)


def test_what_is_not_known_takes_as_long_as_the_jobs_that_have_ended():
    clock = Clock()
    state = RunState(STAGES, clock)
    state.plan([Planned("sample_corpus")] * 3 + [Planned("make_table")])
    for number, seconds in enumerate((2, 4, 6)):
        state.start(number, "sample_corpus", "")
        clock.now += seconds
        state.finish(number)
    assert state.seconds_to_go() == pytest.approx(4)  # 4 s a job, one job left


def log_of(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_reasons_come_at_once_and_again_at_the_end(tmp_path):
    log = log_of(tmp_path, "a.log", "reading: 50%\rreading: 100%\nerror: a.vec: line 3: no number; fix it\n")
    shown = Shown()
    shown.start(1, "sample_corpus")
    shown.fail(1, "sample_corpus", log)
    shown.event(LogEvent.ERROR, logging.ERROR, "RuleException:\nCalledProcessError in file x")
    shown.event(None, logging.WARNING, "a warning of Snakemake's")
    shown.event(None, logging.ERROR, "Exiting because a job execution failed. Look above for error messages")
    shown.clock.now = 5
    shown.display.close_run(False)
    reason = ["error: a.vec: line 3: no number; fix it", f"  (sample_corpus, see {log})"]
    assert shown.lines[1:] == [
        *reason,
        "a warning of Snakemake's",
        "failed: 1 job, 0 of 3 are done after 0:05",
        *reason,
    ]


def test_one_reason_of_two_jobs_is_shown_once(tmp_path):
    logs = [log_of(tmp_path, name, "error: the same\n") for name in ("a.log", "b.log")]
    failures = [Failure("build_anchors", (logs[0],)), Failure("finetune_model", (logs[1],))]
    assert reasons(failures) == [
        "error: the same",
        f"  (build_anchors, see {logs[0]})",
        f"  (finetune_model, see {logs[1]})",
    ]


def test_a_crash_shows_how_its_log_ends(tmp_path):
    log = log_of(tmp_path, "a.log", "".join(f"line {number}\n" for number in range(100)))
    shown = reasons([Failure("train_vectors", (log,))])
    assert shown == [*(f"  line {number}" for number in range(85, 100)), f"  (train_vectors, see {log})"]
    assert reasons([Failure("all", ())]) == ["  (all)"]
    assert reasons([Failure("all", ("no/such.log",))]) == ["  (all, see no/such.log)"]


def test_a_job_that_succeeds_when_it_is_tried_again_is_no_failure(tmp_path):
    shown = Shown([Planned("sample_corpus")])
    shown.start(1, "sample_corpus")
    shown.fail(1, "sample_corpus", log_of(tmp_path, "a.log", "error: out of memory\n"))
    shown.start(1, "sample_corpus")
    shown.finish(1)
    assert shown.display.state.failures == {}
    assert shown.display.state.done == 1


def test_ctrl_c_is_one_line(tmp_path, monkeypatch):
    shown, raised = Shown(), []
    handlers = {signal.SIGINT: lambda *_: raised.append("KeyboardInterrupt")}
    monkeypatch.setattr(signal, "getsignal", handlers.get)
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    shown.display.notice_interrupts()
    shown.start(1, "sample_corpus")
    handlers[signal.SIGINT](signal.SIGINT, None)
    shown.fail(1, "sample_corpus", log_of(tmp_path, "a.log", "KeyboardInterrupt\n"))
    shown.event(None, logging.ERROR, "Terminating processes on user request")
    shown.display.close_run(False)
    assert raised == ["KeyboardInterrupt"]  # Snakemake's own handling goes on
    assert shown.lines[1:] == ["stopped: 0 of 3 jobs done; the same command goes on from there"]


def test_a_run_with_nothing_to_do_says_so():
    shown = Shown([])
    shown.event(None, message="Nothing to be done (all requested files are present and up to date).")
    shown.event(None, message="Building DAG of jobs...")
    assert shown.lines[1:] == ["Nothing to be done (all requested files are present and up to date)."]


def test_times_are_read_from_benchmarks(tmp_path):
    (tmp_path / "b.tsv").write_text("s\th:m:s\tmax_rss\n3.5\t0:00:03\t10\n", encoding="utf-8")
    (tmp_path / "empty.tsv").write_text("s\th:m:s\tmax_rss\n", encoding="utf-8")
    assert last_seconds(str(tmp_path / "b.tsv")) == 3.5
    assert [
        last_seconds(str(tmp_path / "empty.tsv")),
        last_seconds("no/such.tsv"),
        last_seconds(None),
    ] == 3 * [None]
    assert [shown_time(seconds) for seconds in (0.4, 59.6, 3599, 3661)] == [
        "0:00",
        "1:00",
        "59:59",
        "1:01:01",
    ]


def test_an_unknown_target_is_answered_with_the_nearest_ones():
    message = (
        "MissingRuleException:\nNo rule to produce results/tables/tabel2.tsv (if you use input functions ...)"
    )
    known = ["results/tables/table2.tsv", "results/tables/x2s/preliminary.tsv", "all"]
    assert explain(message, known) == (
        "error: results/tables/tabel2.tsv: no rule makes it; did you mean results/tables/table2.tsv?"
    )
    assert explain(message, ["all"]).endswith("the head of the Snakefile lists what can be made")
    assert explain("AmbiguousRuleException: two rules", known) is None


def test_snakemake_has_the_handler_that_is_replaced():
    """Its name is Snakemake's own: another version may change it."""
    settings = SimpleNamespace(nocolor=True, stdout=False, quiet=None, debug_dag=False, verbose=False)
    settings.dryrun, settings.printshellcmds, settings.show_failed_logs = False, False, False
    manager = LoggerManager.__new__(LoggerManager)
    manager.settings = settings
    handler = manager._default_streamhandler()
    assert handler.name == "DefaultStreamHandler"
    assert isinstance(handler, ColorizingTextHandler)
