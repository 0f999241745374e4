"""Where and in which state a model runs: its device, its seeds, its mode."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import nn

from xstitch.training.batches import bucketed_batches, budgeted_batches

EVALUATION_BATCH = 64  # examples, on a CPU
EVALUATION_TOKENS = 64 * 512  # on a GPU: without gradients a batch of short texts may have many of them


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
def evaluating(root: nn.Module) -> Iterator[None]:
    """Switch dropout and gradients off, and restore each submodule's mode afterwards."""
    modes = [(module, module.training) for module in root.modules()]
    root.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module, mode in modes:
            module.training = mode


def half_precision(device: torch.device) -> torch.autocast:
    """Compute in bf16 on a GPU; on a CPU, as always."""
    return torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda")


def evaluation_batches(lengths: np.ndarray, device: torch.device) -> list[np.ndarray]:
    """Split examples of similar length into batches as large as a device takes without gradients."""
    if device.type == "cuda":
        return budgeted_batches(lengths, EVALUATION_TOKENS)
    return bucketed_batches(lengths, EVALUATION_BATCH, 0, 0, shuffle=False)
