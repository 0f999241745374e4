"""The alternating recipe: rotated spaces recovered from 15 seeds, its solution by brute force, restarts."""

import numpy as np
import pytest
from rotated import across, rotated_spaces
from sklearn.linear_model import Ridge

from xstitch.spaces.anchors import alternate
from xstitch.spaces.anchors.alternate import (
    PENALTIES,
    alternate_anchors,
    common_axes,
    match_by_seeds,
    solve_anchors,
    translate_anchors,
)
from xstitch.spaces.anchors.problem import SeededSpaces
from xstitch.spaces.learning_state import Iteration, Learned
from xstitch.spaces.settings.alignment import SelfLearning
from xstitch.spaces.settings.search import AlternationSettings
from xstitch.spaces.vecmap import normalise
from xstitch.vectors.table import unit_rows

ONCE = AlternationSettings(restarts=1)


@pytest.mark.parametrize("shape", [{}, {"words": 500, "width": 30, "anchors": 60}])
def test_a_rotated_and_permuted_space_is_recovered(shape):
    spaces = rotated_spaces(**shape)
    found = alternate_anchors(spaces, ONCE)
    np.testing.assert_array_equal(found.rows, spaces.partners[spaces.anchors])
    assert [scores.mrr for scores in across(spaces, found.vectors)] == [1.0, 1.0]
    np.testing.assert_allclose(found.vectors, unit_rows(spaces.true_anchors), atol=0.01)


def test_spaces_may_differ_in_size_and_dimensions():
    spaces = rotated_spaces(target_width=14, strangers=60)
    found = alternate_anchors(spaces, ONCE)
    np.testing.assert_array_equal(found.rows, spaces.partners[spaces.anchors])
    assert found.vectors.shape == (30, 14)


def test_without_seeds_it_starts_from_similarities_within_each_space():
    spaces = rotated_spaces(seeds=0, words=400, width=12)
    found = alternate_anchors(spaces, ONCE)
    np.testing.assert_array_equal(found.rows, spaces.partners[spaces.anchors])


def test_noisy_spaces_still_score_far_above_the_seeds():
    spaces = rotated_spaces(words=600, width=20, anchors=100, noise=0.4, seed=1)
    found = alternate_anchors(spaces, AlternationSettings(restarts=2))
    seeds, truth, ours = (
        across(spaces, anchors)[0].mrr
        for anchors in (spaces.seed_anchors, spaces.true_anchors, found.vectors)
    )
    assert ours > truth - 0.02
    assert ours > seeds + 0.2


def test_equal_seeds_give_equal_anchors():
    spaces = rotated_spaces(noise=0.4)
    runs = [alternate_anchors(spaces, AlternationSettings(restarts=1, seed=seed)) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0].vectors, runs[1].vectors)
    np.testing.assert_array_equal(runs[0].rows, runs[1].rows)
    assert runs[0].history.equals(runs[1].history)
    assert not runs[0].history.equals(runs[2].history)


def test_the_truth_is_only_used_for_measuring():
    spaces = rotated_spaces(noise=0.4)
    blind = SeededSpaces(spaces.source, spaces.target, spaces.anchors, spaces.seeds)
    one, two = (alternate_anchors(side, ONCE) for side in (spaces, blind))
    np.testing.assert_array_equal(one.vectors, two.vectors)
    assert set(two.history["accuracy"].to_pylist()) == {None}
    assert one.history["accuracy"].to_pylist()[-1] > 50


def test_words_beyond_the_first_vocabulary_are_matched_in_the_end():
    spaces = rotated_spaces(noise=0.05)
    settings = AlternationSettings(learning=SelfLearning(vocabulary=150, patience=3), restarts=2)
    found = alternate_anchors(spaces, settings)
    runs = found.history["run"].to_pylist()
    assert list(dict.fromkeys(runs)) == ["run 1", "run 2", "all words"]
    pairs = dict(zip(runs, found.history["pairs"].to_pylist(), strict=True))
    assert (pairs["run 1"], pairs["all words"]) == (300, 600)  # both directions
    assert found.history["accuracy"].to_pylist()[-1] > 99
    kept = zip(runs, found.history["keep"].to_pylist(), strict=True)
    assert {keep for run, keep in kept if run == "all words"} == {1.0}


def test_the_run_with_the_best_objective_is_taken(monkeypatch):
    spaces = rotated_spaces(words=50)
    right = np.stack([np.arange(50), spaces.partners], axis=1)
    wrong = np.stack([np.arange(50), np.roll(spaces.partners, 1)], axis=1)
    outcomes = iter([(wrong, [50.0, 70.0]), (right, [90.0, 60.0]), (wrong, [80.0, 80.0])])

    def learn(*_):
        rows, objectives = next(outcomes)
        history = [Iteration(i, 1.0, 50, value, None) for i, value in enumerate(objectives)]
        return Learned(rows, np.ones(50), history)

    monkeypatch.setattr(alternate, "learn_dictionary", learn)
    found = alternate_anchors(spaces, AlternationSettings(restarts=3))
    np.testing.assert_array_equal(found.rows, spaces.partners[spaces.anchors])


def test_seeds_start_the_pairs_and_most_mutual_matches_are_right():
    spaces = rotated_spaces()
    x, z = normalise(spaces.source), normalise(spaces.target)
    pairs = match_by_seeds(x, z, spaces, ONCE)
    np.testing.assert_array_equal(pairs[:15, 0], spaces.anchors[:15])
    np.testing.assert_array_equal(pairs[:15, 1], spaces.seeds)
    assert len(np.unique(pairs[15:, 0])) == len(np.unique(pairs[15:, 1])) == len(pairs) - 15
    assert np.mean(spaces.partners[pairs[:, 0]] == pairs[:, 1]) > 0.8


def test_the_larger_side_keeps_its_principal_axes():
    random = np.random.default_rng(0)
    x, z = (
        random.normal(size=(50, 3)),
        random.normal(size=(80, 3)) @ np.linalg.qr(random.normal(size=(9, 9)))[0][:3],
    )
    same, reduced = common_axes(unit_rows(x), unit_rows(z))
    assert same.shape == (50, 3)
    # Three of the nine dimensions contain everything: the angles stay.
    np.testing.assert_allclose(reduced @ reduced.T, unit_rows(z) @ unit_rows(z).T, atol=1e-5)


def test_penalties_are_half_a_power_of_ten_apart():
    np.testing.assert_allclose(np.log10(PENALTIES), np.arange(-3, 3.5, 0.5), atol=1e-12)


@pytest.mark.parametrize("count", [15, 40])
def test_the_solution_has_the_penalty_that_cross_validation_prefers(count):
    spaces = rotated_spaces(words=60, noise=1.0)
    pairs = np.stack([np.arange(count), spaces.partners[:count]], axis=1)
    x, y = unit_rows(spaces.source.astype(float)), unit_rows(spaces.target.astype(float))
    given, wanted = y[pairs[:, 1]], x[:count] @ x[spaces.anchors].T
    errors = []
    for penalty in PENALTIES:
        hat = given @ np.linalg.solve(given.T @ given + penalty * np.eye(10), given.T)
        residual = ((wanted - hat @ wanted) ** 2).sum()
        errors.append(residual / (count - np.trace(hat)) ** 2)
    best = PENALTIES[int(np.argmin(errors))]
    assert PENALTIES[0] < best < PENALTIES[-1]
    golden = Ridge(alpha=best, fit_intercept=False).fit(given, wanted).coef_
    np.testing.assert_allclose(solve_anchors(spaces, pairs), unit_rows(golden), atol=1e-5)
    # A pair found in both directions counts once.
    np.testing.assert_array_equal(
        solve_anchors(spaces, np.concatenate([pairs, pairs])), solve_anchors(spaces, pairs)
    )


def test_fewer_pairs_than_dimensions_have_a_solution():
    spaces = rotated_spaces(words=60, width=30)
    vectors = solve_anchors(spaces, np.stack([np.arange(12), spaces.partners[:12]], axis=1))
    assert np.isfinite(vectors).all()


def test_translations_are_distinct_and_keep_the_seeds():
    spaces = rotated_spaces(words=40, noise=2.0)
    same = normalise(spaces.target)
    rows = translate_anchors(same[spaces.partners], same, spaces, 10)
    np.testing.assert_array_equal(rows, spaces.partners[spaces.anchors])
