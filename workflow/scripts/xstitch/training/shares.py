"""How processes share a training: each computes a share of every update, and their gradients add up.

All processes see the same batches and end every update with the same weights, those of a single process but
for rounding. Two kinds of losses can be shared:

- A mean over rows, or over something that belongs to rows (labelled words, masked tokens). The loss of a
  batch is then the sum of the losses of its shares, each times its part of what the mean is over, and so is
  the gradient: `Rows`.
- Anything else without side effects (correlations or transport within a batch, means over different things):
  each batch as a whole is one process's, which helps if an update has several of them: `WHOLE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
import torch.distributed as dist
from torch import nn

WHOLE: Literal["whole"] = "whole"


def take_rows(batch: Any, rows: slice) -> Any:
    """Take rows of all tensors of a batch, however nested in mappings."""
    if isinstance(batch, Mapping):
        return {name: take_rows(value, rows) for name, value in batch.items()}
    return batch[rows]


def count_rows(batch: Any) -> int:
    """Count the rows of a batch by its first tensor."""
    while isinstance(batch, Mapping):
        batch = next(iter(batch.values()))
    return len(batch)


@dataclass(frozen=True)
class Rows:
    """Shares of a batch are some of its rows; the loss is a mean over what `count` counts."""

    count: Callable[[Any], int] = count_rows
    take: Callable[[Any, slice], Any] = take_rows

    def share(self, batch: Any, rank: int, size: int) -> tuple[Any, float] | None:
        """Return a process's rows and their part of the mean; none if there are fewer rows than processes.

        Every `size`-th row: rows may be sorted by length.
        """
        if count_rows(batch) <= rank:
            return None
        own = self.take(batch, slice(rank, None, size))
        return own, self.count(own) / max(1, self.count(batch))


Sharing = Rows | Literal["whole"]


class Team:
    """The processes that share a training, as one of them sees it; a process may well be alone."""

    def __init__(self) -> None:
        grouped = dist.is_initialized()
        self.rank, self.size = (dist.get_rank(), dist.get_world_size()) if grouped else (0, 1)
        self.unit = 0  # of the batches in an update
        self.dealt = 0  # of those batches that go to one process as a whole

    @property
    def is_first(self) -> bool:
        """Whether this process is the one that evaluates and writes."""
        return self.rank == 0

    def begin_update(self) -> None:
        """Count batches from the start: who gets which must not depend on where a run was resumed."""
        self.unit = self.dealt = 0

    def share(self, sharing: Sharing | None, batch: Any) -> tuple[Any, float] | None:
        """Return what this process computes of a batch, and the factor of its loss; none if nothing."""
        self.unit += 1
        if self.size == 1:
            return batch, 1.0
        if isinstance(sharing, Rows):
            return sharing.share(batch, self.rank, self.size)
        turn, self.dealt = self.dealt % self.size, self.dealt + 1
        return (batch, 1.0) if turn == self.rank else None

    @contextmanager
    def draws(self, seed: int, step: int) -> Iterator[None]:
        """Draw dropout from this process's own random numbers; those for batches stay the same for all.

        Its seed depends on the place in the training alone, so that checkpoints need not keep it.
        """
        if self.size == 1:
            yield
            return
        with torch.random.fork_rng(devices=[]):
            place = np.random.SeedSequence((seed % 2**32, step, self.unit, self.rank))
            torch.manual_seed(int(place.generate_state(1)[0]))
            yield

    @contextmanager
    def evaluation(self) -> Iterator[None]:
        """Evaluate in the first process without moving on in the random numbers for batches."""
        with torch.random.fork_rng(devices=[], enabled=self.size > 1):
            yield

    def copy_first(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Set tensors to those of the first process."""
        if self.size > 1:
            for tensor in tensors.values():
                dist.broadcast(tensor, 0)

    def add_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Sum the gradients of all processes; a parameter for which none has one keeps none."""
        if self.size == 1:
            return
        device = parameters[0].device
        used = torch.tensor([p.grad is not None for p in parameters], dtype=torch.int32, device=device)
        dist.all_reduce(used, dist.ReduceOp.MAX)
        summed = [parameter for parameter, is_used in zip(parameters, used.tolist(), strict=True) if is_used]
        for parameter in summed:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        for work in [dist.all_reduce(parameter.grad, async_op=True) for parameter in summed]:
            work.wait()

    def add_losses(self, parts: Mapping[str, float], device: torch.device) -> dict[str, float]:
        """Sum the losses of all processes."""
        if self.size == 1:
            return dict(parts)
        losses = torch.tensor(list(parts.values()), dtype=torch.float64, device=device)
        dist.all_reduce(losses)
        return dict(zip(parts, losses.tolist(), strict=True))

    @contextmanager
    def first_goes_first(self, device: torch.device) -> Iterator[None]:
        """Have the others wait until the first process has done something."""
        if not self.is_first:
            self._meet(device)
        yield
        if self.is_first:
            self._meet(device)

    def part(self, device: torch.device) -> None:
        """End all processes but the first, which goes on alone: what follows a training is its work."""
        if self.size == 1:
            return
        self._meet(device)
        dist.destroy_process_group()
        if not self.is_first:
            raise SystemExit(0)
        self.size = 1

    def _meet(self, device: torch.device) -> None:
        """Wait for all processes."""
        if self.size > 1:
            here = torch.ones((), device=device)
            dist.all_reduce(here)
            here.item()  # on a GPU nothing has happened before


def can_share(sharings: Mapping[str, tuple[Sharing | None, int]]) -> bool:
    """Say whether processes can share updates; each objective's sharing comes with its batches an update."""
    if any(sharing is None for sharing, _ in sharings.values()):
        return False
    whole = sum(number for sharing, number in sharings.values() if sharing == WHOLE)
    return whole > 1 or any(isinstance(sharing, Rows) for sharing, _ in sharings.values())
