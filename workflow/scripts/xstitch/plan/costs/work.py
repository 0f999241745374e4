"""What a job does, in numbers that do not depend on the machine."""

from __future__ import annotations

from dataclasses import dataclass

from xstitch.plan.costs.architectures import FLOAT, MB, Architecture

BACKWARD = 3  # a forward pass, and twice that for the gradients of activations and weights
FROZEN_BACKWARD = 2  # without the gradients of weights
LEARNING = 3  # a gradient and Adam's two moments, per weight that learns
CHECKPOINT = 3  # the weight and Adam's two moments, per weight that learns; the best weights come on top
# Operations that take as long as the update of a weight, which moves memory (rehearsal); the weights of small
# models stay in the processor's cache.
UPDATE, CACHED = 2_500, 2e6
EVALUATED = 64  # rows at once in an evaluation (xstitch.training.devices)


@dataclass(frozen=True)
class Work:
    """A job's units of work, dense operations, memory beside the program's own, and disk.

    With a GPU, `device_mb` is there; the host then has `loaded_mb`, weights on their way to the GPU, or, in a
    job that goes on after a kill, `copied_mb`, all that its checkpoint has.
    """

    unit: str = "job"
    units: float = 1.0
    gflop: float = 0.0
    host_mb: float = 0.0
    device_mb: float = 0.0
    loaded_mb: float = 0.0
    copied_mb: float = 0.0
    input_mb: float | None = None  # what is read from the disk; without it, what is in memory
    output_mb: float = 0.0
    scratch_mb: float = 0.0  # checkpoints and files that go when the job ends

    @property
    def disk_mb(self) -> float:
        """The most that a job has on a disk of its own: inputs, outputs and what goes when it ends."""
        read = self.host_mb + self.loaded_mb if self.input_mb is None else self.input_mb
        return read + self.output_mb + self.scratch_mb


@dataclass(frozen=True)
class Training:
    """The size of a training whose batches have `rows` x `length` tokens."""

    shape: Architecture
    updates: float
    gflop: float
    rows: float
    length: float
    learning: float = 1.0  # the share of weights that learns
    models: float = 1.0  # of this shape, that are held
    keeps_best: bool = True
    adapters: int = 0  # in every layer

    def work(self, data_mb: float = 0.0, extra_mb: float = 0.0) -> Work:
        """What it asks of a machine; `data_mb` is on the host, `extra_mb` beside the activations."""
        weights = self.shape.weights_mb
        learnt = weights * self.learning
        best = learnt if self.keeps_best else 0.0
        activations = self.shape.activations_mb(self.rows * self.length, self.length, self.adapters)
        updated = max(0.0, self.learning * self.shape.parameters - CACHED)
        updating = UPDATE * self.updates * updated / 1e9
        return Work(
            "update",
            self.updates,
            self.gflop + updating,
            host_mb=best + data_mb,
            device_mb=self.models * weights + LEARNING * learnt + activations + extra_mb,
            loaded_mb=self.models * weights,
            copied_mb=CHECKPOINT * learnt,
            output_mb=weights,
            scratch_mb=2 * (CHECKPOINT * learnt + best),  # one is written before the last one goes
        )


def table_mb(rows: float, columns: float) -> float:
    """The memory of a matrix in fp32."""
    return rows * columns * FLOAT / MB


def batch_tokens(rows: float, length: float) -> float:
    """The tokens of a batch of an evaluation."""
    return min(EVALUATED, rows) * length
