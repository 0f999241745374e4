"""Kernels of numerical libraries, pinned to those that every x86-64 processor with AVX2 can run.

numpy, torch and the libraries below them choose their kernels by processor, and the results differ in the
last bits. Training carries such a difference into the scores. These variables are read when a library is
loaded, so they must be in a job's environment before it starts.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, MutableMapping
from pathlib import Path

PINNED = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",  # numpy's own loops stay at AVX2
    "OPENBLAS_CORETYPE": "Haswell",  # matrix products of numpy and scipy
    "ATEN_CPU_CAPABILITY": "avx2",  # torch's own loops, and how it draws normal numbers
    "ONEDNN_MAX_CPU_ISA": "AVX2",  # some of torch's activations
    # Matrix products of torch. This slow branch is the only one that MKL runs on both Intel and AMD: on AMD
    # it silently ignores all others.
    "MKL_CBWR": "COMPATIBLE",
}
NEEDED = {"avx2", "fma"}
CPU_FLAGS = Path("/proc/cpuinfo")


def pin_kernels(environment: MutableMapping[str, str], flags: Path = CPU_FLAGS) -> bool:
    """Make jobs started with this environment use the pinned kernels; variables that a user has set stay.

    Return whether that is possible. On another architecture or without AVX2 nothing is set: a library told to
    use instructions that the processor lacks would crash the job.
    """
    if platform.machine() not in ("x86_64", "AMD64") or not cpu_flags(flags) >= NEEDED:
        return False
    for name, value in PINNED.items():
        environment.setdefault(name, value)
    return True


def are_pinned(variables: Mapping[str, str]) -> bool:
    """Say whether a process that started with these variables computes by the pinned kernels."""
    return all(variables.get(name) == value for name, value in PINNED.items())


def cpu_flags(file: Path = CPU_FLAGS) -> set[str]:
    """Return the names of what a processor can do; none where the system is not Linux."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    known = (line.partition(":")[2] for line in lines if line.startswith(("flags", "Features")))
    return set(next(known, "").split())
