"""Where and in which state a model runs: its device, its seeds, its mode."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from xstitch.core.errors import InputError
from xstitch.core.portable import CPU_FLAGS, cpu_flags
from xstitch.training.batches import bucketed_batches, budgeted_batches
from xstitch.training.portable_products import take_over_products

BF16 = {"avx512_bf16", "amx_bf16", "bf16"}  # as Linux names the instructions on x86 and on Arm
EVALUATION_BATCH = 64  # examples, on a CPU
EVALUATION_TOKENS = 64 * 512  # on a GPU: without gradients a batch of short texts may have many of them

take_over_products(os.environ)  # before anything is computed: whatever runs a model imports this module


def seed_all(seed: int) -> None:
    """Seed python, numpy and torch (all devices)."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def choose_device() -> torch.device:
    """Return the GPU if there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def move(batch: Any, device: torch.device) -> Any:
    """Move the tensors of a batch, however nested in mappings, to a device."""
    if isinstance(batch, Mapping):
        return {key: move(value, device) for key, value in batch.items()}
    return batch.to(device, non_blocking=True) if torch.is_tensor(batch) else batch


@contextmanager
def without_dropout(root: nn.Module) -> Iterator[None]:
    """Switch dropout off, and restore each submodule's mode afterwards."""
    modes = [(module, module.training) for module in root.modules()]
    root.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


@contextmanager
def evaluating(root: nn.Module) -> Iterator[None]:
    """Switch dropout and gradients off, and restore each submodule's mode afterwards."""
    with without_dropout(root), torch.inference_mode():
        yield


def half_precision(
    device: torch.device, on_processors: bool = False, flags: Path = CPU_FLAGS
) -> torch.autocast:
    """Compute in bf16 on a GPU; on a processor only if asked to, and if it has instructions for that."""
    if device.type == "cuda":
        return torch.autocast("cuda", torch.bfloat16)
    if on_processors and BF16.isdisjoint(cpu_flags(flags)):
        raise InputError(
            "training: bf16: true, but this processor has no instructions for bf16; set it to false"
        )
    return torch.autocast("cpu", torch.bfloat16, enabled=on_processors)


def evaluation_batches(lengths: np.ndarray, device: torch.device) -> list[np.ndarray]:
    """Split examples of similar length into batches as large as a device takes without gradients."""
    if device.type == "cuda":
        return budgeted_batches(lengths, EVALUATION_TOKENS)
    return bucketed_batches(lengths, EVALUATION_BATCH, 0, 0, shuffle=False)
