"""What the rehearsed jobs need at scale paper, beside what their rules ask for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cases import Case
from measurements import Measured
from planning import Job

from xstitch.plan.costs.coefficients import load_gpu

GPU = load_gpu()
FITS, MEMORY, TIME, NOT_RUN = "fits", "too little memory", "too little time", "not run"
CUDA_MB = 2000  # what CUDA's libraries take of the host; an allowance, not measured
CHECKPOINT_MB = 1100  # of the largest file of a checkpoint: XLM-R Large's input embeddings
COLUMNS = (
    "rule", "case", "date", "unit", "seconds_per_unit", "units_at_paper_scale", "measured_mb", "host_mb",
    "gpu_mb", "asked_mb", "hours_here", "hours_on_gpu", "asked_hours", "verdict", "source",
)  # fmt: skip


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


def gpu_ratio(job: Measured) -> float:
    """How many times as fast as the core that was measured a GPU is in large products."""
    return GPU.gflops / job.core_gflops


def project(job: Measured, case: Case, on_gpu: bool) -> Needs:
    """Scale a measured job up: its loop by units and by what its batch lacks, its memory by the latter.

    What a loop adds to the memory is on the GPU, which is faster, and so are the weights. Gradients and
    Adam's two moments, which the trained weights have, do not grow with the batch. The host keeps what was
    there before the loop, weights included, whose place a copy of the best ones takes.
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
        hours_on_gpu=(other + loop / (gpu_ratio(job) if moved else 1)) / 3600,
    )


def judge(needs: Needs, asked_mb: float, asked_hours: float, on_gpu: bool) -> str:
    """Say whether a job gets through with what its rule asks for."""
    if needs.host_mb > asked_mb or needs.gpu_mb > 1000 * GPU.memory_gb:
        return MEMORY
    return TIME if (needs.hours_on_gpu if on_gpu else needs.hours_here) > asked_hours else FITS


def table_rows(
    cases: Iterable[Case], found: Mapping[str, Measured], jobs: Iterable[Job]
) -> Iterator[dict[str, str]]:
    """One row per case: what was measured, some time ago or just now, beside what its rule asks for now."""
    asked = {file: job for job in jobs for file in job.output}
    for case in cases:
        row = {"rule": case.rule, "case": case.target.removeprefix("results/"), "source": case.source}
        if case.target not in found:
            yield dict.fromkeys(COLUMNS, "") | row | {"verdict": NOT_RUN}
            continue
        resources, job = asked[case.target].resources, found[case.target]
        on_gpu = "gpu" in resources
        asked_mb, asked_hours = float(resources["mem_mb"]), float(resources["runtime"]) / 60
        needs = project(job, case, on_gpu)
        yield row | {
            "date": job.date,
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
