"""Estimate what targets cost before anything runs; `make estimate` calls this.

estimate.py [TARGET ...] [--configfile FILE ...] [-- SNAKEMAKE OPTIONS]; GPU=KIND and JSON=FILE are read from
the environment.
"""

import contextlib
import io
import json
import logging
import os
import sys
from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from snakemake.cli import main, parse_args, parse_config
from snakemake_interface_logger_plugins.common import LogEvent

from run import ROOT, arguments, rules
from xstitch.core.errors import InputError
from xstitch.plan import overlays
from xstitch.plan.chains import is_generated
from xstitch.plan.costs.coefficients import USUAL_GPU, load_gpu
from xstitch.plan.costs.core_speed import pace_here
from xstitch.plan.costs.estimate import Estimate, PlannedJob, estimate, table
from xstitch.plan.costs.observed import corrections, finished, quality
from xstitch.plan.costs.stages import rule_stages
from xstitch.plan.downloads import downloads_of
from xstitch.plan.launch import command
from xstitch.plan.run import Run, load_run
from xstitch.plan.tables import missing_by_table
from xstitch.plan.warm_jobs import is_possible
from xstitch.sources.fetch import forecast
from xstitch.sources.fetch.http import Token
from xstitch.sources.fetch.local import only_local

QUICK = (1.0, 2.0)  # seconds for a server to answer: an estimate need not wait


class _Jobs(logging.Handler):
    """Collects the jobs that a dry run names."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[PlannedJob] = []

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "event", None) == LogEvent.JOB_INFO:
            files = (list(map(str, getattr(record, name))) for name in ("input", "output"))
            self.jobs.append(PlannedJob(record.rule_name, dict(record.wildcards), *files))


def planned_jobs(options: Sequence[str]) -> list[PlannedJob]:
    """Dry-run Snakemake in this process; if it refuses, end with its line."""
    collected, output = _Jobs(), io.StringIO()
    logging.getLogger("snakemake").addHandler(collected)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            main([*options, "--dry-run", "--quiet", "all"])
    except SystemExit as end:
        if end.code:
            said = end.code if isinstance(end.code, str) else output.getvalue().strip().splitlines()[-1]
            sys.exit(f"to bring by hand, or to change: {str(said).removeprefix('error: ')}")
    return collected.jobs


def load(given: Namespace) -> Run:
    """The run that the options given to Snakemake configure."""
    files = [Path(file) for file in given.configfile or []]
    layers = "config/config.yaml", files, parse_config(given.config)
    return load_run(overlays.lay(*layers, ROOT / "config"), ROOT)


def is_local(given: Namespace) -> bool:
    """Tell whether jobs would run on this machine."""
    return given.executor in (None, "local")


def starts_warm(given: Namespace) -> bool:
    """Tell whether jobs with neural networks would start as forks: on this machine, in one environment."""
    return is_local(given) and not given.software_deployment_method and is_possible(os.environ)


def add_downloads(result: Estimate, run: Run, jobs: Sequence[PlannedJob]) -> None:
    """Add what is downloaded, and what has no address."""
    wanted, absent = [], defaultdict(list)
    for job in jobs:
        if is_generated(job.input):
            continue  # copied from the mini world
        downloads = downloads_of(run, job.rule, job.names, job.output)
        wanted += downloads
        if job.rule == "download_dataset" and not downloads:
            absent[job.names.dataset].append(job.names.file)
    for dataset, files in absent.items():
        result.by_hand.append(only_local(dataset, ", ".join(sorted(files)), run.datasets[dataset].note))
    forecast.TIMEOUT = QUICK
    sized = forecast.find_sizes(wanted, run.config["mirror"], Path(run.config["lock"]), Token())
    sizes = [size for _, size in sized if size is not None]
    result.downloads, result.download_bytes = len(sized), sum(sizes) if sizes else None
    result.unknown_downloads = len(sized) - len(sizes)


def estimated(options: Sequence[str]) -> Estimate:
    """Plan the targets and estimate what they cost."""
    _, given = parse_args(list(options))
    gpu, run, warm = load_gpu(os.environ.get("GPU") or USUAL_GPU), load(given), starts_warm(given)
    jobs, pace = planned_jobs(options), pace_here() if is_local(given) else 1.0
    done = list(finished(run, ROOT, gpu, warm, pace))
    result = estimate(run, jobs, rule_stages(ROOT), gpu, corrections(done), warm, pace)
    result.quality = quality(done)
    add_downloads(result, run, jobs)
    if any(job.rule == "make_table_index" for job in jobs):
        result.by_hand += sorted({reason for reason in missing_by_table(run).values() if reason})
    return result


if __name__ == "__main__":
    try:
        result = estimated(command(*arguments(sys.argv[1:]), rules()))
    except InputError as problem:
        sys.exit(f"error: {problem}")
    if file := os.environ.get("JSON"):
        Path(file).write_text(json.dumps(result.as_dict(), indent=1) + "\n", encoding="utf-8")
    print(table(result))
