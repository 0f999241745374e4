"""Bootstrapped anchors: one assignment by Sinkhorn; as a script, the large run with its memory and time.

PYTHONPATH=workflow/scripts python tests/bench/bench_bootstrap.py [STEPS] runs some of the paper's 250 steps
on 20,000 x 20,000 words of 300 dimensions, with 300 anchors, and prints what all steps would take.
"""

import os
import resource
import sys
import time

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # before torch is loaded: as a script, this file loads it first

import numpy as np
import torch
from bench import Bench
from torch.profiler import ProfilerActivity, profile

from xstitch.spaces.anchors.optimise import optimise_anchors
from xstitch.spaces.anchors.problem import SeededSpaces, draw_anchors
from xstitch.spaces.anchors.sinkhorn import assign_columns
from xstitch.spaces.settings.search import OptimisationSettings, SinkhornSettings

WORDS, WIDTH, ANCHORS, SEEDS, STEPS = 20_000, 300, 300, 15, 250


def plain_assignment(rows: torch.Tensor, columns: torch.Tensor, eps: float) -> torch.Tensor:
    """Keep all costs and the whole plan of one iteration in memory."""
    costs = torch.cdist(rows, columns)
    u = -eps * torch.logsumexp(-costs / eps, dim=1)
    v = -eps * torch.logsumexp((u[:, None] - costs) / eps, dim=0)
    return ((u[:, None] + v - costs) / eps).exp().argmax(dim=0)


def bench_sinkhorn_assignment() -> Bench:
    """6,000 x 6,000 points of 300 dimensions, eps 1e-4: one iteration, hard assignment."""
    generator = torch.Generator().manual_seed(0)
    rows, columns = (torch.randn(6000, ANCHORS, generator=generator) / 10 for _ in range(2))
    return Bench(
        lambda: assign_columns(rows, columns, SinkhornSettings()),
        {"torch, whole matrices": lambda: plain_assignment(rows, columns, 1e-4)},
        operations=2 * 6000 * 6000 * ANCHORS,
    )


def noisy_rotation(words: int, width: int, noise: float) -> SeededSpaces:
    """Draw words with dimensions of unequal variance, as in word vectors; rotate, disturb, permute them."""
    random = np.random.default_rng(0)
    source = random.normal(size=(words, width)) * np.arange(1, width + 1) ** -0.5
    disturbed = source + noise * source.std() * random.normal(size=source.shape)
    order = random.permutation(words)
    target = (disturbed @ np.linalg.qr(random.normal(size=(width, width)))[0])[order]
    partners, anchors = np.argsort(order), draw_anchors(words, ANCHORS, 0)
    return SeededSpaces(
        source.astype("f4"), target.astype("f4"), anchors, partners[anchors[:SEEDS]], partners
    )


def large_run(steps: int) -> None:
    """Print the time per step and for all steps, peak memory, and the most expensive operations."""
    spaces = noisy_rotation(WORDS, WIDTH, noise=0.3)
    started, used = time.perf_counter(), time.process_time()
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        found = optimise_anchors(spaces, OptimisationSettings(steps=steps))
    seconds, work = (time.perf_counter() - started) / steps, (time.process_time() - used) / steps
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=8, max_name_column_width=24))
    print(f"{seconds:.2f} s per step, {seconds * STEPS / 60:.1f} min for {STEPS}; peak {peak:.2f} GB")
    # On a busy machine CPU time says what an idle one would need.
    print(f"{work:.2f} s of CPU time per step, {work * STEPS / 60:.1f} min for {STEPS}")
    print(found.history.to_pandas().iloc[:: max(1, steps // 10)].to_string(index=False))


if __name__ == "__main__":
    large_run(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
