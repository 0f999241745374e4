"""What the rehearsed jobs need at scale paper, beside what their rules ask for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cases import Case
from planning import Job

GPU = "an A100 with 80 GB"
GPU_MB = 80_000
GPU_GFLOPS = 0.3 * 312_000  # its peak in bf16 by NVIDIA's data sheet; a third of it is usual for such models
FITS, MEMORY, TIME, FAILED, NOT_RUN = "fits", "too little memory", "too little time", "failed", "not run"
UPDATE = "update"  # the unit of cases that are timed without the evaluations between updates
CUDA_MB = 2000  # what CUDA's libraries take of the host; an allowance, not measured
CHECKPOINT_MB = 1100  # of the largest file of a checkpoint: XLM-R Large's input embeddings
COLUMNS = (
    "rule", "case", "unit", "seconds_per_unit", "units_at_paper_scale", "measured_mb", "host_mb", "gpu_mb",
    "asked_mb",
    "hours_here", "hours_on_gpu", "asked_hours", "verdict", "source",
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """What a job needed: in all, and in its main loop, if it has one; seconds are those of a core."""

    seconds: float
    peak_mb: float
    loop_seconds: float = 0.0
    loop_count: float = 0.0
    unit_seconds: float = 0.0
    before_mb: float | None = None  # peak before the loop began
    loop_mb: float = 0.0  # peak at its end
    weights_mb: float = 0.0
    trained_mb: float = 0.0  # of the weights

    @property
    def other_seconds(self) -> float:
        """The time outside of the loop: loading, reading, writing."""
        return max(0.0, self.seconds - self.loop_seconds)


def measured(record: Mapping[str, Any], case: Case) -> Measured:
    """Read a job's note; of several loops with the case's label the times add up.

    The time of the processor, divided by the threads, is not stretched by other processes.
    """
    threads = record["threads"]
    seconds, peak = record["cpu_seconds"] / threads, record["peak_mb"]
    loops = [loop for loop in record["loops"] if case.loop and loop["label"] == case.loop]
    if not loops:
        return Measured(seconds, peak)
    total, count = sum(loop["cpu_seconds"] for loop in loops), sum(loop["count"] for loop in loops)
    fastest = [loop["fastest_cpu"] for loop in loops if loop["fastest_cpu"]]
    unit = min(fastest) if case.unit == UPDATE and fastest else total / max(1, count)
    return Measured(
        seconds,
        peak,
        total / threads,
        count,
        unit / threads,
        loops[0]["before_mb"],
        max(loop["peak_mb"] for loop in loops),
        loops[0]["weights_mb"],
        loops[0]["trained_mb"],
    )


@dataclass(frozen=True)
class Needs:
    """What a job needs at scale paper."""

    host_mb: float
    gpu_mb: float
    hours_here: float
    hours_on_gpu: float


def units(job: Measured, case: Case) -> float:
    """How far a job's loop goes at scale paper, or how many times a job without one is to be done."""
    return (case.amount or job.loop_count or 1) * case.times


def project(job: Measured, case: Case, on_gpu: bool, ratio: float) -> Needs:
    """Scale a measured job up: its loop by units and by what its batch lacks, its memory by the latter.

    What a loop adds to the memory is on the GPU, which is `ratio` times as fast, and so are the weights.
    Gradients and Adam's two moments, which the trained weights have, do not grow with the batch. The host
    keeps what was there before the loop, weights included, whose place a copy of the best ones takes.
    """
    if job.loop_count:
        loop, other = job.unit_seconds * units(job, case) * case.factor, job.other_seconds
    else:
        loop, other = job.seconds * case.times, 0.0
    before = job.peak_mb if job.before_mb is None else job.before_mb
    grown = max(0.0, job.loop_mb - before)
    state = min(3 * job.trained_mb, grown)
    grown = state + (grown - state) * case.factor
    moved = on_gpu and job.loop_count > 0
    beside = CUDA_MB * on_gpu + CHECKPOINT_MB * (moved and job.trained_mb > 0)
    return Needs(
        host_mb=before + beside if moved else max(job.peak_mb, before + grown) + beside,
        gpu_mb=job.weights_mb + grown if moved else 0.0,
        hours_here=(other + loop) / 3600,
        hours_on_gpu=(other + loop / (ratio if moved else 1)) / 3600,
    )


def judge(needs: Needs, asked_mb: float, asked_hours: float, on_gpu: bool) -> str:
    """Say whether a job gets through with what its rule asks for."""
    if needs.host_mb > asked_mb or needs.gpu_mb > GPU_MB:
        return MEMORY
    return TIME if (needs.hours_on_gpu if on_gpu else needs.hours_here) > asked_hours else FITS


def table_rows(
    cases: Iterable[Case], notes: Sequence[Mapping[str, Any]], jobs: Iterable[Job], folder: Path, ratio: float
) -> Iterator[dict[str, str]]:
    """One row per case; a case whose job failed or was not run says so."""
    by_output = {file: record for record in notes for file in record["output"]}
    asked = {file: job for job in jobs for file in job.output}
    for case in cases:
        row = {"rule": case.rule, "case": case.target.removeprefix("results/"), "source": case.source}
        if case.target not in by_output or case.target not in asked or not (folder / case.target).exists():
            yield (
                dict.fromkeys(COLUMNS, "")
                | row
                | {"verdict": FAILED if case.target in by_output else NOT_RUN}
            )
            continue
        resources = asked[case.target].resources
        on_gpu = "gpu" in resources
        asked_mb, asked_hours = float(resources["mem_mb"]), float(resources["runtime"]) / 60
        job = measured(by_output[case.target], case)
        needs = project(job, case, on_gpu, ratio)
        yield row | {
            "unit": case.unit if job.loop_count else "job",
            "seconds_per_unit": _shown(job.unit_seconds * case.factor if job.loop_count else job.seconds),
            "units_at_paper_scale": f"{units(job, case):.0f}",
            "measured_mb": f"{job.peak_mb:.0f}",
            "host_mb": f"{needs.host_mb:.0f}",
            "gpu_mb": f"{needs.gpu_mb:.0f}",
            "asked_mb": f"{asked_mb:.0f}",
            "hours_here": _shown(needs.hours_here),
            "hours_on_gpu": _shown(needs.hours_on_gpu) if on_gpu else "",
            "asked_hours": _shown(asked_hours),
            "verdict": judge(needs, asked_mb, asked_hours, on_gpu),
        }


def _shown(number: float) -> str:
    """Three digits that count."""
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"


def read_notes(file: Path) -> list[dict[str, Any]]:
    """What jobs noted about themselves; of a job that was run twice, the last note counts."""
    return (
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    )


def speed() -> float:
    """Measure the speed of one core in GFLOPS by its own time, on matrices as large as an encoder's."""
    first, second = np.ones((4096, 3072), np.float32), np.ones((3072, 768), np.float32)
    best = 0.0
    for _ in range(5):
        started = time.process_time()
        first @ second
        best = max(best, 2 * 4096 * 3072 * 768 / (time.process_time() - started) / 1e9)
    return best


def write_table(file: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """Write the table as TSV."""
    lines = ["\t".join(COLUMNS), *("\t".join(row[column] for column in COLUMNS) for row in rows)]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


PAGE = """# A rehearsal at true size

`make rehearse` runs the largest jobs of every rule that a table or figure needs at `scale: paper`, on
generated data and with random weights, and stops every training after a few updates
(`config/rehearsal.yaml`). It writes this page; the same numbers are in `results/rehearsal.tsv`.
`tests/rehearsal/cases.tsv` names the jobs, how much they have to do at paper scale, and where that
number comes from.

- **Memory** is the kernel's own peak of the job ("peak MB"). A job with a GPU is measured on a CPU: what
  it had before its first update counts as memory of the host ("host MB"), with {cuda:,} MB for CUDA's
  libraries (an allowance) and the largest file of a checkpoint, {file:,} MB; weights and what came on top
  (gradients, Adam's moments, activations in fp32, times what the batch lacks) as memory of the GPU.
- **Time** is that of the processor, divided by the threads, which other processes do not stretch: of the main
  loop per unit (of an update without the evaluations between updates, times what its batch lacks), times the
  units at paper scale (n), plus the rest of the job as it was.
  On {gpu} loops are taken to be {ratio:,.0f} times
  as fast: {gpu_speed:,.0f} GFLOPS, a third of its peak in bf16, against {cpu_speed:.0f} GFLOPS of the core
  that was measured. That holds for large products of matrices; loops over small ones gain less.
- **Verdicts** compare both with `mem_mb` and `runtime` of the rule, and the memory of a GPU with 80 GB.

Run on {date}: {count} of {total} cases fit, {missing} were not run or failed.

| rule | case | unit | s | n | peak MB | host MB | GPU MB | asked MB | h here | h GPU | asked h | verdict |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def write_page(file: Path, rows: Sequence[Mapping[str, str]], cpu_speed: float) -> None:
    """Write the page that shows the run of the day."""
    count = sum(row["verdict"] == FITS for row in rows)
    text = PAGE.format(
        gpu=GPU, ratio=GPU_GFLOPS / cpu_speed, gpu_speed=GPU_GFLOPS, cpu_speed=cpu_speed, count=count,
        total=len(rows), date=time.strftime("%Y-%m-%d"), cuda=CUDA_MB, file=CHECKPOINT_MB,
        missing=sum(row["verdict"] in (FAILED, NOT_RUN) for row in rows),
    )  # fmt: skip
    lines = ["| " + " | ".join(row[column] for column in COLUMNS[:-1]) + " |\n" for row in rows]
    file.write_text(text + "".join(lines), encoding="utf-8")
