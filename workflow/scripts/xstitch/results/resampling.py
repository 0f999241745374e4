"""The hierarchical bootstrap: what a number would have been with other chains, seeds and test items.

A run has a chain (one draw of all that comes before fine-tuning: text, vectors, encoders) and a seed of
fine-tuning. The score of a run is an array: its first entry is the score on all test items, the others are
the scores on resamples of the items. `pooled` averages runs in the same way: first all of them, then, for
every resample, chains drawn among the chains and seeds drawn among the seeds of each. What was scored on the
same resamples of items and has the same chains and seeds is paired: resamples of a difference are the
differences of the resamples.

Of n chains, n - 1 are drawn, and so of seeds: the mean of n draws would vary by (n - 1) / n of what the mean
of n runs varies by, half of it for two seeds; that of n - 1 draws varies as much (Rao and Wu, 1988). What
lies below drawn chains varies twice, so that the intervals of several chains are rather too wide.

Runs of today have one chain. Scores get others by a column `chain`, of which `run_of` is the only reader; all
files that are made from scores have a column `chains` already.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from xstitch.results.intervals import RESAMPLES, Interval, interval
from xstitch.results.scores import Score

Run = tuple[str, int]  # chain and seed
Runs = Mapping[Run, np.ndarray]
ONE_CHAIN = "1"
LEVELS = ("chains", "seeds", "items")


def run_of(score: Score) -> Run:
    """Return the chain and the seed of a score."""
    return ONE_CHAIN, score.seed


def pooled(runs: Runs, seed: int) -> np.ndarray:
    """Average runs: over all chains and their seeds, then over those that are drawn for every resample."""
    chains = _by_chain(runs)
    value = np.mean([stack[:, 0].mean() for stack in chains])
    resamples = chains[0].shape[1] - 1
    draws = max(1, len(chains) - 1)
    total = np.zeros(resamples)
    for draw in range(draws):
        drawn = _drawn(len(chains), seed, resamples, draw)
        means = np.stack([_mean_of_drawn(stack[:, 1:], seed, draw) for stack in chains])
        total += means[drawn, np.arange(resamples)]
    return np.concatenate([[value], total / draws])


def _by_chain(runs: Runs) -> list[np.ndarray]:
    """Stack the runs of each chain, in the order of chains and seeds."""
    names = sorted({chain for chain, _ in runs})
    return [np.stack([runs[run] for run in sorted(runs) if run[0] == name]) for name in names]


def _mean_of_drawn(stack: np.ndarray, seed: int, chain_draw: int) -> np.ndarray:
    """Average, for every resample, the seeds that are drawn for it."""
    seeds, resamples = stack.shape
    draws = max(1, seeds - 1)
    drawn = [_drawn(seeds, seed, resamples, chain_draw, draw) for draw in range(draws)]
    return np.mean([stack[one, np.arange(resamples)] for one in drawn], axis=0)


def _drawn(count: int, seed: int, resamples: int, *place: int) -> np.ndarray:
    """Draw one of `count` for every resample; the same for everything drawn at the same place."""
    return (_uniform(seed, resamples, *place) * count).astype(int)


@cache
def _uniform(seed: int, resamples: int, *place: int) -> np.ndarray:
    return np.random.default_rng([seed, len(place), *place]).random(resamples)


def covered_levels(runs: Runs) -> list[str]:
    """Return what an interval of the mean of these runs covers: chains, seeds, items, or nothing."""
    chains = _by_chain(runs)
    varies = {
        "chains": len(chains) > 1,
        "seeds": any(len(stack) > 1 for stack in chains),
        "items": any(np.ptp(stack, axis=1).max() > 0 for stack in chains),
    }
    return [level for level in LEVELS if varies[level]]


def hierarchical_interval(runs: Runs, seed: int) -> Interval | None:
    """Return the mean of runs with its interval; None where nothing that could vary was repeated."""
    repeated = next(iter(runs.values())).size > 1 and covered_levels(runs)
    return interval(pooled(runs, seed)) if repeated else None


def unresampled(value: float) -> np.ndarray:
    """Return a score that does not depend on a sample of items, as it is in every resample."""
    return np.full(RESAMPLES + 1, float(value))
