"""Whether a run says enough about itself: would another one, of other draws, be within its intervals?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from xstitch.results.intervals import Interval
from xstitch.results.ranges import Range
from xstitch.results.resampling import Runs, hierarchical_interval


@dataclass(frozen=True)
class Replication:
    """The same number from two halves of the chains: two runs that share no draw."""

    one: Interval
    other: Interval

    @property
    def inside(self) -> list[bool]:
        """Whether each run's number is within the other's interval."""
        pairs = (self.one, self.other), (self.other, self.one)
        return [bounds.low <= replicated.value <= bounds.high for bounds, replicated in pairs]


def replications(runs: Runs, seed: int, within: Range | None = None) -> Iterator[Replication]:
    """Compare every half of the chains with the rest, beginning with the half of the first chains.

    `within` is the range of the number, if it has one.
    """
    names = sorted({chain for chain, _ in runs}, key=int)
    for half in combinations(names, len(names) // 2):
        if names[0] in half:  # every split once
            yield Replication(
                *(
                    hierarchical_interval(
                        {run: score for run, score in runs.items() if (run[0] in half) == belongs},
                        seed,
                        within,
                    )
                    for belongs in (True, False)
                )
            )


@dataclass(frozen=True)
class Components:
    """How far runs are apart by chain, seed of fine-tuning, and test items, as standard deviations."""

    chains: float
    seeds: float | None  # None if every chain has one
    items: float


def components(runs: Runs) -> Components:
    """Estimate the components of a score's variance: by analysis of variance, items by their resamples.

    What remains of the variance of chains after that of their seeds and items may be nothing.
    """
    by_chain: dict[str, list[np.ndarray]] = {}
    for (chain, _), score in runs.items():
        by_chain.setdefault(chain, []).append(score)
    items = float(np.mean([score[1:].var() for scores in by_chain.values() for score in scores]))
    repeated = [
        np.var([score[0] for score in scores], ddof=1) for scores in by_chain.values() if len(scores) > 1
    ]
    seeds = float(np.mean(repeated)) if repeated else None
    number = np.mean([len(scores) for scores in by_chain.values()])
    means = [np.mean([score[0] for score in scores]) for scores in by_chain.values()]
    # The items of a chain are the same for all of its seeds.
    between = np.var(means, ddof=1) - items - (seeds or 0.0) / number
    return Components(
        float(np.sqrt(max(0.0, between))),
        None if seeds is None else float(np.sqrt(seeds)),
        float(np.sqrt(items)),
    )
