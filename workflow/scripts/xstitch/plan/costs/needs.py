"""What a job needs: seconds, memory and disk, from the work it does and what a unit of that takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xstitch.plan.costs import evaluations, frozen, spaces, trainings, vectors
from xstitch.plan.costs.amounts import Amounts
from xstitch.plan.costs.coefficients import PORTABLE, Gpu, Rule, load_gpu, load_rules
from xstitch.plan.costs.work import Work
from xstitch.plan.run import Run, Wildcards

HEAVY: dict[str, Callable[[Amounts, Wildcards], Work]] = {
    **trainings.WORK,
    **vectors.WORK,
    **evaluations.WORK,
    **frozen.WORK,
    **spaces.WORK,
}
LIGHT = Work()


@dataclass(frozen=True)
class Needs:
    """What a job needs on a machine with GPUs (`gpus` of them for this job) or without."""

    work: Work
    rule: Rule
    slower: float  # dense products, by portable kernels; GPUs do not know these
    warm: bool = False  # whether jobs start as forks, where they can
    pace: float = 1.0  # how many times as long as on the measured core everything takes on this one

    @property
    def core_seconds(self) -> float:
        """The time on one core."""
        return self.pace * (self._outside + self.work.gflop / self.rule.gflops * self.slower)

    def gpu_seconds(self, gpu: Gpu, gpus: int = 1) -> float:
        """The time with a GPU, or with several that share every batch."""
        return self._outside + self.work.gflop / self.rule.gflops / gpu.ratio / gpus

    @property
    def _outside(self) -> float:
        environment = self.rule.environment
        start = environment.warm_seconds if self.warm else environment.start_seconds
        return start + self.work.units * self.rule.seconds_per_unit

    def host_mb(self, on_gpu: bool) -> float:
        """The memory of the host."""
        work = self.work
        weights = max(work.loaded_mb, work.copied_mb) if on_gpu else work.device_mb
        return self.rule.environment.memory_mb + work.host_mb + weights

    @property
    def gpu_mb(self) -> float:
        """The memory of the GPU, in fp32; bf16 needs less."""
        return self.work.device_mb if self.rule.gpu else 0.0

    @property
    def disk_mb(self) -> float:
        """What stays on the disk."""
        return self.work.output_mb


def needs_of(
    run: Run,
    rule: str,
    wildcards: Wildcards,
    longest: bool = False,
    warm: bool = False,
    pace: float = 1.0,
) -> Needs:
    """What a job needs; with `longest` its texts are as long as models read, which limits must allow for."""
    amounts = Amounts(run, longest)
    work = HEAVY[rule](amounts, wildcards) if rule in HEAVY else LIGHT
    return Needs(work, load_rules()[rule], PORTABLE if run.config["portable"] else 1.0, warm, pace)


def usual_gpu() -> Gpu:
    """The kind of GPU that is meant where none is named."""
    return load_gpu()
