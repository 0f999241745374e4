"""How good estimates were for the jobs that are done, by their benchmark files."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from xstitch.core.errors import InputError
from xstitch.plan.costs.coefficients import Gpu
from xstitch.plan.costs.needs import Needs, needs_of
from xstitch.plan.costs.stages import benchmark_patterns, wildcards_in
from xstitch.plan.run import Run

MARGIN = 0.3  # a job within this share of its estimate counts as well estimated
# Snakemake looks at a job's cores twice a second, from some time on once in a while, and not at its end.
LOOKS, OFTEN, SELDOM = 0.5, 15.5, 30.0


class Done(NamedTuple):
    """A job that is done: what it was estimated to take, and what it took, in seconds."""

    rule: str
    estimated: float
    taken: float

    @property
    def ratio(self) -> float:
        """How many times as long as estimated it took."""
        return self.taken / self.estimated


def finished(
    run: Run,
    root: Path,
    gpu: Gpu,
    warm: bool = False,
    pace: float = 1.0,
    folder: Path = Path("benchmarks"),
) -> Iterator[Done]:
    """Compare the jobs that left benchmarks with their estimates; files of other runs are passed over."""
    patterns = benchmark_patterns(root)
    for file in sorted(folder.rglob("*.tsv")):
        rule = file.relative_to(folder).parts[0].removesuffix(".tsv")
        wildcards = wildcards_in(patterns[rule], file.as_posix()) if rule in patterns else None
        times = _times(file)
        if wildcards is None or times is None:
            continue
        try:
            needs = needs_of(run, rule, wildcards, warm=warm, pace=pace)
        except (KeyError, InputError):
            continue
        yield Done(rule, *_nearer(needs, gpu, times))


def corrections(done: list[Done]) -> dict[str, float]:
    """By rule, how many times as long as estimated its jobs took: the median."""
    ratios = defaultdict(list)
    for job in done:
        ratios[job.rule].append(job.ratio)
    return {rule: median(values) for rule, values in ratios.items()}


def quality(done: list[Done]) -> str:
    """Say how good the estimate was."""
    if not done:
        return "no finished jobs to compare with"
    total, estimated = sum(job.taken for job in done), sum(job.estimated for job in done)
    near = sum(abs(job.ratio - 1) <= MARGIN for job in done)
    return (
        f"{len(done)} finished jobs took {total / 3600:.2f} h, estimated {estimated / 3600:.2f} h "
        f"({estimated / total - 1:+.0%}); {near} of them within {MARGIN:.0%}"
    )


class _Times(NamedTuple):
    """The seconds of a job on the clock, and of all its cores, which other jobs do not stretch."""

    clock: float
    cores: float


def _nearer(needs: Needs, gpu: Gpu, times: _Times) -> tuple[float, float]:
    """Estimate and time of a job where it seems to have run: on a core, or on a GPU if its rule wants one."""
    compared = [(needs.core_seconds, times.cores)]
    if needs.rule.gpu:
        compared.append((needs.gpu_seconds(gpu), times.clock))
    return min(compared, key=lambda pair: abs(math.log(pair[1] / pair[0])))


def _times(file: Path) -> _Times | None:
    """The times of the last run that a benchmark file has, if it has any."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    clock, cores = (_number(rows[-1].get(name)) if rows else 0.0 for name in ("s", "cpu_time"))
    if not clock:
        return None
    return _Times(clock, cores * clock / last_look(clock) if cores else clock)


def last_look(clock: float) -> float:
    """When Snakemake last saw what a job of so many seconds had used of its cores."""
    if clock <= OFTEN:
        return max(clock - LOOKS / 2, clock / 2)  # on average
    return OFTEN + SELDOM * ((clock - OFTEN) // SELDOM)


def _number(text: str | None) -> float:
    """A number of a benchmark file; 0 for what Snakemake writes in place of one."""
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
