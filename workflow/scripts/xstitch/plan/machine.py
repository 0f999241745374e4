"""What this machine has."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

GPU_DEVICES = ("/dev/nvidiactl", "/dev/kfd")  # of CUDA and of ROCm


def has_gpu(devices: Iterable[str] = GPU_DEVICES) -> bool:
    """Whether a GPU is at hand, asked without loading torch."""
    return any(Path(device).exists() for device in devices)
