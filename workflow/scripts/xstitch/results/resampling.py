"""The hierarchical bootstrap: what a number would have been with other chains, seeds and test items.

A run has a chain (one draw of all that comes before fine-tuning: text, vectors, encoders) and a seed of
fine-tuning. The score of a run is an array: its first entry is the score on all test items, the others are
the scores on resamples of the items. `pooled` averages runs in the same way: first all of them, then, for
every resample, with weights drawn for the chains and for the seeds of each. What was scored on
the same resamples of items and has the same chains and seeds is paired: resamples of a difference are the
differences of the resamples.

Chains are few, and drawing among three of them never leaves their range, which misses the mean of all chains
every fourth time. So they are not drawn but weighted: by 1 / n, plus what makes a weighted mean vary around
the mean as Student's t with n - 1 degrees of freedom says (`chain_weights`). Resamples of any linear
combination, a difference of cells above all, then have the very interval of the t-test of its n values. Seeds
and items, which the spread of chains contains already, vary once more below them: intervals are rather too
wide.

Seeds are weighted, too, but by the normal distribution, since items beside them often vary far more: in a
single chain, `xstitch.results.freedom` tells how few degrees of freedom that leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from xstitch.results.freedom import freedom_of, seed_weights
from xstitch.results.intervals import RESAMPLES, Interval, interval
from xstitch.results.ranges import Range
from xstitch.results.scores import Score

Run = tuple[str, int]  # chain and seed
Runs = Mapping[Run, np.ndarray]
LEVELS = ("chains", "seeds", "items")


def run_of(score: Score) -> Run:
    """Return the chain and the seed of a score."""
    return score.chain, score.seed


def pooled(runs: Runs, seed: int) -> np.ndarray:
    """Average runs: over all chains and their seeds, then as weighted for every resample."""
    chains = _by_chain(runs)
    value = np.mean([stack[:, 0].mean() for stack in chains])
    means = np.stack([_weighted_mean(stack[:, 1:], number) for number, stack in enumerate(chains)])
    weights = chain_weights(len(chains), seed, means.shape[1])
    return np.concatenate([[value], (weights * means).sum(axis=0)])


@cache
def chain_weights(chains: int, seed: int, resamples: int) -> np.ndarray:
    """Draw the weight of every chain (rows) in every resample; the weights of a resample sum to 1.

    A deviation from 1 / n is a vector of the multivariate t distribution with n - 1 degrees of freedom, in
    the n - 1 dimensions in which weights sum to 0: whatever the direction of the chains' values, their
    weighted sum deviates from their mean by a t-distributed number of standard errors.
    """
    if chains == 1:
        return np.ones((1, resamples))
    generator = np.random.default_rng([seed, chains])
    normal = generator.standard_normal((chains, resamples))
    deviations = normal - normal.mean(axis=0)
    spread = np.sqrt(generator.chisquare(chains - 1, resamples) / (chains - 1))
    return 1 / chains + deviations / spread / np.sqrt(chains * (chains - 1))


def _by_chain(runs: Runs) -> list[np.ndarray]:
    """Stack the runs of each chain, in the order of chains and seeds."""
    names = sorted({chain for chain, _ in runs})
    return [np.stack([runs[run] for run in sorted(runs) if run[0] == name]) for name in names]


def _weighted_mean(stack: np.ndarray, chain: int) -> np.ndarray:
    """Average the seeds of a chain, as weighted for every resample."""
    seeds, resamples = stack.shape
    return (seed_weights(seeds, resamples, chain) * stack).sum(axis=0)


def covered_levels(runs: Runs) -> list[str]:
    """Return what an interval of the mean of these runs covers: chains, seeds, items, or nothing."""
    chains = _by_chain(runs)
    varies = {
        "chains": len(chains) > 1,
        "seeds": any(len(stack) > 1 for stack in chains),
        "items": any(np.ptp(stack, axis=1).max() > 0 for stack in chains),
    }
    return [level for level in LEVELS if varies[level]]


def hierarchical_interval(runs: Runs, seed: int, within: Range | None = None) -> Interval | None:
    """Return the mean of runs with its interval; None where nothing that could vary was repeated.

    `within` is the range of the score, if it has one.
    """
    if next(iter(runs.values())).size == 1 or not covered_levels(runs):
        return None
    resampled, chains = pooled(runs, seed), _by_chain(runs)
    return interval(resampled, within, freedom_of(resampled, len(chains), [len(chains[0])]))


def unresampled(value: float) -> np.ndarray:
    """Return a score that does not depend on a sample of items, as it is in every resample."""
    return np.full(RESAMPLES + 1, float(value))
