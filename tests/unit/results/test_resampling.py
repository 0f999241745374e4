"""The hierarchical bootstrap: by hand, against known variances, and in simulations of known truth."""

import numpy as np
import pytest
from scipy.stats import kstest, sem, t

from xstitch.results.freedom import seed_weights
from xstitch.results.intervals import interval
from xstitch.results.multiplicity import p_value
from xstitch.results.resampling import (
    chain_weights,
    covered_levels,
    hierarchical_interval,
    pooled,
    run_of,
    unresampled,
)
from xstitch.results.scores import ONE_CHAIN, Score

RESAMPLES = 20_000


def constant(value, resamples=RESAMPLES):
    return np.full(resamples + 1, float(value))


def runs_of(*chains, resamples=RESAMPLES):
    """Make runs without items from the values of seeds, chain by chain."""
    return {
        (str(number), seed): constant(value, resamples)
        for number, values in enumerate(chains)
        for seed, value in enumerate(values)
    }


def test_the_first_number_is_the_mean_of_chains_and_a_single_run_stays_as_it_is():
    # Chains count the same, however many seeds they have: (1 + (3 + 5) / 2) / 2.
    assert pooled(runs_of([1], [3, 5]), seed=1)[0] == 2.5
    assert set(pooled(runs_of([7]), seed=1)) == {7.0}


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.2, 0.5, 0.9], [1.0, 2.0, 4.0, 8.0, 16.0]])
def test_resamples_vary_as_much_as_means_of_seeds_do(values):
    # The unbiased estimate of the variance of a mean; n drawn seeds would give (n - 1) / n of it.
    expected = np.var(values, ddof=1) / len(values)
    assert pooled(runs_of(values), seed=3)[1:].var() == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.2, 0.5, 0.9], [1.0, 2.0, 4.0, 8.0, 16.0]])
def test_the_interval_of_chains_is_that_of_the_t_test(values):
    drawn = pooled(runs_of(*([value] for value in values)), seed=3)
    deviations = (drawn[1:] - np.mean(values)) / sem(values)
    assert kstest(deviations, t(len(values) - 1).cdf).pvalue > 0.01
    bounds = interval(drawn)
    expected = t.interval(0.95, len(values) - 1, np.mean(values), sem(values))
    assert (bounds.low, bounds.high) == pytest.approx(expected, abs=0.12 * (expected[1] - expected[0]))


def test_weights_of_chains_sum_to_one_and_do_not_depend_on_the_values():
    weights = chain_weights(4, 1, 500)
    assert weights.shape == (4, 500)
    assert weights.sum(axis=0) == pytest.approx(np.ones(500))
    assert (chain_weights(1, 1, 5) == 1).all()
    # A difference of methods is weighted as the methods are, in whichever order their runs come.
    runs = runs_of([0.1], [0.5], [0.9])
    backwards = dict(reversed(runs.items()))
    assert (pooled(runs, seed=1) == pooled(backwards, seed=1)).all()


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.2, 0.5, 0.9], [1.0, 2.0, 4.0, 8.0, 16.0]])
def test_the_interval_of_seeds_is_that_of_the_t_test_too(values):
    bounds = hierarchical_interval(runs_of(values), seed=3)
    expected = t.interval(0.95, len(values) - 1, np.mean(values), sem(values))
    assert (bounds.low, bounds.high) == pytest.approx(expected, abs=0.05 * (expected[1] - expected[0]))


def test_seeds_of_one_chain_say_nothing_of_those_of_another():
    first, second = seed_weights(3, 2000, chain=0), seed_weights(3, 2000, chain=1)
    assert first.sum(axis=0) == pytest.approx(np.ones(2000))
    assert abs(np.corrcoef(first[0], second[0])[0, 1]) < 0.1
    assert pooled(runs_of([1, 2], [11, 12]), seed=4)[0] == 6.5


def test_items_that_seeds_share_vary_as_those_of_one_seed_do():
    items = constant(0.5, 9)
    items[1:] += np.linspace(-0.1, 0.1, 9)
    runs = {(ONE_CHAIN, seed): items + shift for seed, shift in ((1, 0), (2, 0))}
    assert pooled(runs, seed=1) == pytest.approx(items)


def test_methods_that_share_seeds_are_paired():
    worse = runs_of([0.1, 0.5, 0.9], [0.3, 0.6, 0.7])
    better = {run: value + 0.05 for run, value in worse.items()}
    difference = pooled(better, seed=5) - pooled(worse, seed=5)
    assert difference == pytest.approx(constant(0.05))


def test_another_seed_draws_otherwise():
    runs = runs_of([0.1], [0.5], [0.9])
    assert (pooled(runs, seed=1) == pooled(runs, seed=1)).all()
    assert (pooled(runs, seed=1) != pooled(runs, seed=2)).any()


def test_an_interval_says_what_it_covers():
    items = constant(0.5, 9)
    items[1:] += np.linspace(-0.1, 0.1, 9)
    assert covered_levels({(ONE_CHAIN, 0): items}) == ["items"]
    assert covered_levels({(ONE_CHAIN, 0): items, (ONE_CHAIN, 1): items}) == ["seeds", "items"]
    assert covered_levels(runs_of([1], [2])) == ["chains"]
    assert covered_levels(runs_of([1, 1], [2])) == ["chains", "seeds"]
    assert covered_levels(runs_of([1])) == []
    assert hierarchical_interval(runs_of([1]), seed=1) is None
    assert (
        hierarchical_interval({(ONE_CHAIN, 1): np.array([1.0]), (ONE_CHAIN, 2): np.array([2.0])}, 1) is None
    )
    bounds = hierarchical_interval(runs_of([1, 3]), seed=1)
    # Two numbers with a standard error of 1, and Student's t with one degree of freedom: 12.706.
    assert (bounds.value, bounds.low, bounds.high) == (
        2,
        pytest.approx(-10.7, 0.05),
        pytest.approx(14.7, 0.05),
    )


def test_the_run_of_a_score_is_its_chain_and_seed():
    score = Score("r", "t", "a", "b", "test", "f1", 4, 0.5, 9, "mini")
    assert run_of(score) == (ONE_CHAIN, 4)
    assert run_of(score._replace(chain="2")) == ("2", 4)
    assert set(unresampled(0.3)) == {0.3}


def covered(chains, seeds, chain_sd, trials=200, items=60, resamples=300):
    """Return how often the interval contains the truth, 0, if chains, seeds and items vary.

    The items of a chain are the same for all of its seeds.
    """
    hits = 0
    for trial in range(trials):
        rng, runs = np.random.default_rng([11, trial]), {}
        for chain in range(chains):
            effect, hardness = rng.normal(0, chain_sd), rng.normal(size=items)
            drawn = rng.integers(items, size=(resamples, items))
            for seed in range(seeds):
                scores = effect + rng.normal(0, 0.1) + hardness + rng.normal(0, 0.5, items)
                runs[str(chain), seed] = np.concatenate([[scores.mean()], scores[drawn].mean(axis=1)])
        bounds = hierarchical_interval(runs, trial)
        hits += bounds.low <= 0 <= bounds.high
    return hits / trials


def test_intervals_of_seeds_and_items_contain_the_truth_as_often_as_they_say():
    assert 0.88 <= covered(chains=1, seeds=3, chain_sd=0) <= 0.98


@pytest.mark.parametrize("seeds", [2, 3, 5])
@pytest.mark.parametrize("items_sd", [0.0, 0.02])
def test_few_seeds_of_one_chain_neither_show_what_is_not_there_nor_miss_the_truth(seeds, items_sd):
    """Seeds vary by .03. By the normal distribution, .13 to .31 would be shown without items."""
    shown, contained = [], []
    for trial in range(400):
        rng, runs = np.random.default_rng([13, trial]), {}
        drawn = rng.normal(0, items_sd, 1001)
        drawn[1:] += drawn[0] if items_sd else 0.0
        for seed in range(seeds):
            runs[ONE_CHAIN, seed] = rng.normal(0, 0.03) + drawn
        bounds, resampled = hierarchical_interval(runs, 1), pooled(runs, 1)
        contained.append(bounds.low <= 0 <= bounds.high)
        shown.append(p_value(resampled, 1, [seeds]) < 0.05)
    assert np.mean(shown) <= 0.09
    assert np.mean(contained) >= 0.91


def test_intervals_of_chains_contain_the_truth_that_those_of_seeds_miss():
    # One chain cannot know how far chains are apart; five can, nearly, although five are few.
    assert covered(chains=1, seeds=3, chain_sd=0.5) < 0.65
    assert 0.93 <= covered(chains=3, seeds=1, chain_sd=0.5) <= 1
    assert 0.93 <= covered(chains=5, seeds=2, chain_sd=0.5) <= 1


def drawn_run(rng, chains):
    """Draw a run: chains vary by six points, seeds by two, items by one and a half."""
    runs = {}
    for chain in range(chains):
        score = rng.normal(0, 0.06) + rng.normal(0, 0.02) + rng.normal(0, 0.015)
        runs[str(chain), 1] = np.concatenate([[score], score + rng.normal(0, 0.015, 1000)])
    return runs


@pytest.mark.parametrize("chains", [3, 4])
def test_runs_of_other_draws_stay_within_each_others_intervals(chains):
    """In nine of ten cells. (Of many chains it would be five of six: both runs vary, one interval is used.)

    Draws among the chains, without the t distribution, hold it in three of four.
    """
    inside = []
    for trial in range(300):
        rng = np.random.default_rng([7, trial])
        one, other = (interval(pooled(drawn_run(rng, chains), 1)) for _ in range(2))
        inside += [one.low <= other.value <= one.high, other.low <= one.value <= other.high]
    assert np.mean(inside) >= 0.9
