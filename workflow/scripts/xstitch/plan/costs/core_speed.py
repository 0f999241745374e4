"""How fast a core of this machine is, beside the one that coefficients were measured on."""

from __future__ import annotations

import time

import numpy as np

from xstitch.plan.costs.coefficients import CORE_GFLOPS

ROUNDS = 5
SHAPE = (4096, 3072, 768)  # an encoder's largest product, with 4,096 tokens


def core_gflops() -> float:
    """Measure a core by its own time, of which the best round counts.

    Other processes stretch that less than the time on the clock, but they do: caches and memory are shared.
    One kind of machine was measured at 96, 102 and 130.
    """
    rows, inner, columns = SHAPE
    first, second = np.ones((rows, inner), np.float32), np.ones((inner, columns), np.float32)
    best = 0.0
    for _ in range(ROUNDS):
        started = time.process_time()
        first @ second
        best = max(best, 2 * rows * inner * columns / (time.process_time() - started) / 1e9)
    return best


def pace_here() -> float:
    """How many times as long as on the measured core jobs take on a core of this machine."""
    return CORE_GFLOPS / core_gflops()
