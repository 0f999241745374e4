"""The kernels of numerical libraries, pinned to what every x86-64 processor with AVX2 has.

numpy, torch and the libraries below them choose their kernels by the processor, and the last bits of their
results differ. A training carries such a difference into its scores. These variables are read when a library
is loaded, so they have to be in the environment of a job before it starts.
"""

from __future__ import annotations

import platform
from collections.abc import MutableMapping
from pathlib import Path

PINNED = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",  # numpy's own loops stay at AVX2
    "OPENBLAS_CORETYPE": "Haswell",  # matrix products of numpy and scipy
    "ATEN_CPU_CAPABILITY": "avx2",  # torch's own loops, and how it draws normal numbers
    "ONEDNN_MAX_CPU_ISA": "AVX2",  # some of torch's activations
    # Matrix products of torch. The slow branch is the only one that MKL runs on Intel and AMD alike: on AMD
    # it ignores all others without a word.
    "MKL_CBWR": "COMPATIBLE",
}
NEEDED = {"avx2", "fma"}
CPU_FLAGS = Path("/proc/cpuinfo")


def pin_kernels(environment: MutableMapping[str, str], cpu_flags: Path = CPU_FLAGS) -> bool:
    """Have jobs started with this environment use the pinned kernels; what a user has set stays.

    Return whether they can: on another architecture or without AVX2 nothing is set, for a library that is
    told to use instructions that the processor lacks ends the job.
    """
    if platform.machine() not in ("x86_64", "AMD64") or not _has_needed(cpu_flags):
        return False
    for name, value in PINNED.items():
        environment.setdefault(name, value)
    return True


def _has_needed(cpu_flags: Path) -> bool:
    try:
        lines = cpu_flags.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux: nobody tells what the processor has
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return set(flags) >= NEEDED
