"""What a plan costs: jobs by stage, hours, memory, disk, downloads, and files that the user must bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any

from xstitch.plan.costs.coefficients import Gpu
from xstitch.plan.costs.needs import Needs, needs_of
from xstitch.plan.run import Run
from xstitch.sources.fetch.forecast import shown_size

OVERHEAD = 0.4  # seconds that Snakemake spends on a job


@dataclass(frozen=True)
class PlannedJob:
    """A job of a plan."""

    rule: str
    wildcards: Mapping[str, str]
    input: Sequence[str] = ()
    output: Sequence[str] = ()

    @property
    def names(self) -> SimpleNamespace:
        """The wildcards as attributes."""
        return SimpleNamespace(**self.wildcards)


@dataclass
class Stage:
    """The sums over the jobs of a stage; memory is that of the largest."""

    jobs: int = 0
    core_hours: float = 0.0
    gpu_hours: float = 0.0  # of jobs with a GPU: there; of the others on a core
    memory_mb: float = 0.0
    gpu_memory_mb: float = 0.0
    disk_mb: float = 0.0

    def add(self, needs: Needs, gpu: Gpu, correction: float) -> None:
        """Count a job."""
        self.jobs += 1
        self.core_hours += (needs.core_seconds * correction + OVERHEAD) / 3600
        self.gpu_hours += needs.gpu_seconds(gpu) * correction / 3600 if needs.rule.gpu else 0.0
        self.memory_mb = max(self.memory_mb, needs.host_mb(on_gpu=needs.rule.gpu))
        self.gpu_memory_mb = max(self.gpu_memory_mb, needs.gpu_mb)
        self.disk_mb += needs.disk_mb


@dataclass
class Estimate:
    """What a plan costs."""

    gpu: str
    stages: dict[str, Stage]
    download_bytes: int | None = 0  # None: unknown
    unknown_downloads: int = 0
    downloads: int = 0
    by_hand: list[str] = field(default_factory=list)
    quality: str = ""

    @property
    def total(self) -> Stage:
        """All stages together."""
        parts = list(self.stages.values())
        sums = {name: sum(getattr(part, name) for part in parts) for name in SUMMED}
        most = {name: max((getattr(part, name) for part in parts), default=0.0) for name in LARGEST}
        return Stage(**sums, **most)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for other programs."""
        return {**asdict(self), "total": asdict(self.total)}


SUMMED = ("jobs", "core_hours", "gpu_hours", "disk_mb")
LARGEST = ("memory_mb", "gpu_memory_mb")


def estimate(
    run: Run,
    jobs: Iterable[PlannedJob],
    stages: Mapping[str, str],
    gpu: Gpu,
    corrections: Mapping[str, float],
    warm: bool = False,
    pace: float = 1.0,
) -> Estimate:
    """Sum up what jobs cost, stage by stage; `corrections` say how much longer jobs of a rule really take.

    With `warm`, jobs with neural networks start as forks; `pace` is that of a core.
    """
    found: dict[str, Stage] = {}
    for job in jobs:
        needs = needs_of(run, job.rule, job.names, warm=warm, pace=pace)
        found.setdefault(stages[job.rule], Stage()).add(needs, gpu, corrections.get(job.rule, 1.0))
    order = list(dict.fromkeys(stages.values()))
    return Estimate(gpu.name, {name: found[name] for name in order if name in found})


def table(result: Estimate) -> str:
    """The estimate as aligned text."""
    head = ["stage", "jobs", "core h", f"{result.gpu} h", "memory", f"{result.gpu} memory", "disk"]
    rows = [[name, *_cells(stage)] for name, stage in [*result.stages.items(), ("all", result.total)]]
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [head, *rows]
    ]
    lines += ["", f"to download: {downloads_line(result)}", f"so far: {result.quality}"]
    if result.by_hand:
        lines += ["to bring by hand:", *(f"  {line}" for line in result.by_hand)]
    return "\n".join(lines)


def one_line(result: Estimate) -> str:
    """The estimate in one line."""
    total = result.total
    return (
        f"estimate: {total.jobs} jobs, {_hours(total.core_hours)} h on a core; what wants a GPU takes "
        f"{_hours(total.gpu_hours)} h on one {result.gpu}; memory {_size(total.memory_mb)}, "
        f"disk {_size(total.disk_mb)} (`make estimate` says more)"
    )


def downloads_line(result: Estimate) -> str:
    """How much is to be downloaded, as far as servers say."""
    if not result.downloads:
        return "nothing"
    known = shown_size(result.download_bytes) if result.download_bytes else "unknown"
    more = f", {result.unknown_downloads} of unknown size" if result.unknown_downloads else ""
    return f"{result.downloads} files, {known}{more if result.download_bytes else ''}"


def _cells(stage: Stage) -> list[str]:
    return [
        str(stage.jobs),
        _hours(stage.core_hours),
        _hours(stage.gpu_hours) if stage.gpu_hours else "-",
        _size(stage.memory_mb),
        _size(stage.gpu_memory_mb) if stage.gpu_memory_mb else "-",
        _size(stage.disk_mb),
    ]


def _hours(hours: float) -> str:
    return f"{hours:.3f}" if hours < 1 else f"{hours:,.1f}"


def _size(megabytes: float) -> str:
    return shown_size(round(megabytes * 2**20))
