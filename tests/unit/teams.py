"""Processes that share a training, forked from one server that has already imported torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from killing import CONTEXT
from safetensors.torch import load_file

from xstitch.training.processes import join


def run_team(size: int, store: Path, target: Callable, *arguments: Any) -> list[int]:
    """Run a module-level function in `size` processes that share its training; return their exit codes."""
    store.unlink(missing_ok=True)
    team = [CONTEXT.Process(target=_member, args=(r, size, store, target, *arguments)) for r in range(size)]
    for process in team:
        process.start()
    for process in team:
        process.join()
    return [process.exitcode for process in team]


def _member(rank: int, size: int, store: Path, target: Callable, *arguments: Any) -> None:
    torch.set_num_threads(1)
    if size > 1:
        join(rank, size, dist.FileStore(str(store), size))
    target(*arguments)


def largest_difference(a: Path, b: Path, without: tuple[str, ...] = ()) -> float:
    """Compare two files of tensors; those whose names end in a certain way may differ."""
    first, second = load_file(a), load_file(b)
    assert first.keys() == second.keys()
    compared = [name for name in first if not name.endswith(without)]
    return max((first[name].double() - second[name].double()).abs().max().item() for name in compared)
