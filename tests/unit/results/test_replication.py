"""Runs of other draws within each other's intervals, and where the variance comes from."""

import numpy as np
import pytest

from xstitch.results.replication import components, replications


def constant(value, resamples=2000):
    return np.full(resamples + 1, float(value))


def test_halves_of_the_chains_are_compared_each_split_once():
    runs = {(str(chain), 1): constant(value) for chain, value in enumerate([1, 2, 3, 11, 12, 13], 1)}
    splits = list(replications(runs, seed=1))
    assert len(splits) == 10  # six choose three, halved
    first = splits[0]
    assert (first.one.value, first.other.value) == (2, 12)
    # A mean of three, 2, with a standard deviation of 1: 2 +- 4.303 / sqrt(3).
    assert (first.one.low, first.one.high) == pytest.approx((2 - 2.484, 2 + 2.484), abs=0.3)
    assert first.inside == [False, False]
    assert all(sum(split.inside) == 2 for split in splits[1:])


def test_chains_are_ordered_by_number():
    runs = {(str(chain), 1): constant(chain) for chain in (1, 2, 10, 11)}
    assert next(iter(replications(runs, seed=1))).one.value == 1.5


def test_components_of_a_known_variance():
    rng = np.random.default_rng(5)
    runs = {}
    for chain in range(400):
        effect, items = rng.normal(0, 0.08), rng.normal(0, 0.03)
        resampled = rng.normal(0, 0.03, 200)
        for seed in range(2):
            score = 0.5 + effect + items + rng.normal(0, 0.05)
            runs[str(chain), seed] = np.concatenate([[score], score + resampled])
    found = components(runs)
    assert (found.chains, found.seeds, found.items) == pytest.approx((0.08, 0.05, 0.03), abs=0.006)


def test_a_single_seed_has_no_component_and_nothing_is_below_zero():
    wide = np.concatenate([[0.5], np.linspace(0.2, 0.8, 100)])
    found = components({("1", 1): wide, ("2", 1): wide})
    assert (found.chains, found.seeds) == (0.0, None)
