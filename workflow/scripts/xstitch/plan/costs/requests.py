"""What a job asks its machine for: more than it needs, but not much more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from types import SimpleNamespace

from xstitch.plan.costs.needs import Needs, needs_of, usual_gpu
from xstitch.plan.run import Run, Wildcards

MEMORY, TIME, DISK = 1.5, 2.5, 1.5  # times what a job needs; nobody has measured a GPU's time
# CUDA's libraries alone hold 2 to 3 GB of the host; the smallest jobs of the rehearsal hold 0.5 to 3 GB more.
LEAST_MB, LEAST_ON_GPU_MB = 1_000, 7_000
LEAST_MINUTES = 20
LEAST_DISK_MB = 2_000


def requests(run: Run, rule: str, wildcards: Wildcards, gpus: int = 0) -> dict[str, int]:
    """What a job of a heavy rule asks for: mem_mb, runtime in minutes, and disk_mb."""
    return _requests(_Shared(run), rule, tuple(wildcards.items()), gpus)


class _Shared:
    """A run as a key of a cache: the same object is the same run."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __hash__(self) -> int:
        return id(self.run)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Shared) and other.run is self.run


@lru_cache(maxsize=100_000)
def _requests(
    shared: _Shared, rule: str, wildcards: tuple[tuple[str, str], ...], gpus: int
) -> dict[str, int]:
    return request(needs_of(shared.run, rule, SimpleNamespace(**dict(wildcards)), longest=True), gpus)


def request(needs: Needs, gpus: int) -> dict[str, int]:
    """What is asked for a job that needs something."""
    return {"mem_mb": _memory(needs, gpus), "runtime": _minutes(needs, gpus), "disk_mb": _disk(needs)}


def _memory(needs: Needs, gpus: int) -> int:
    """Whole hundreds of MB."""
    least = LEAST_ON_GPU_MB if gpus else LEAST_MB
    return 100 * math.ceil(max(least, MEMORY * needs.host_mb(on_gpu=gpus > 0)) / 100)


def _minutes(needs: Needs, gpus: int) -> int:
    """Whole five minutes."""
    taken = needs.gpu_seconds(usual_gpu(), gpus) if gpus else needs.core_seconds
    return 5 * math.ceil(max(LEAST_MINUTES, TIME * taken / 60) / 5)


def _disk(needs: Needs) -> int:
    """Whole GB, inputs included: some jobs have a disk of their own, as in a pod of Kubernetes."""
    return 1000 * math.ceil(max(LEAST_DISK_MB, DISK * needs.work.disk_mb) / 1000)


def limited(minutes: int, longest: int | None) -> int:
    """A time that a site allows: a job that takes longer is cut there and goes on from its checkpoint."""
    return min(minutes, longest) if longest else minutes


def gpus_of(resources: Mapping[str, object]) -> int:
    """How many GPUs a job asks for: by `gpu`, or where sites know that only, by `gres`."""
    named = str(resources.get("gres") or "")
    if named.startswith("gpu"):
        last = named.rpartition(":")[2]
        return int(last) if last.isdecimal() else 1
    return int(resources.get("gpu") or 0)  # type: ignore[call-overload]
