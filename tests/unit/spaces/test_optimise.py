"""Algorithm 1: a rotated space found from 15 seeds, steps by hand and by numpy, held seeds, words."""

import logging

import numpy as np
import pytest
import torch
from rotated import across, rotated_spaces

from xstitch.spaces.anchors.optimise import nearest_words, optimise_anchors
from xstitch.spaces.anchors.problem import SeededSpaces
from xstitch.spaces.settings.search import OptimisationSettings, SinkhornSettings
from xstitch.vectors.table import unit_rows

QUICK = OptimisationSettings(steps=100, learning_rate=0.05)


def test_a_rotated_and_permuted_space_is_recovered():
    spaces = rotated_spaces()
    found = optimise_anchors(spaces, QUICK)
    np.testing.assert_array_equal(found.rows, spaces.partners[spaces.anchors])
    assert [scores.mrr for scores in across(spaces, found.vectors)] == [1.0, 1.0]
    losses, accuracies = (found.history[name].to_pylist() for name in ("loss", "accuracy"))
    assert losses[-1] < losses[0] / 100
    assert accuracies[0] < 20 < 99 < accuracies[-1]
    assert found.history["step"].to_pylist() == list(range(1, 101))


def test_spaces_may_differ_in_size_and_dimensions():
    spaces = rotated_spaces(target_width=14, strangers=60)
    found = optimise_anchors(spaces, QUICK)
    assert found.vectors.shape == (30, 14)
    assert across(spaces, found.vectors)[0].mrr > 0.99
    # The other way round, the source has words without a partner.
    assert optimise_anchors(spaces.exchanged(), QUICK).history["accuracy"].to_pylist()[-1] > 80


def test_the_first_step_by_numpy():
    spaces = rotated_spaces(words=40, width=6, anchors=8, seeds=3, noise=0.3)
    # With this eps no share underflows, and with this seed no choice is close.
    settings = OptimisationSettings(steps=1, seed=36, sinkhorn=SinkhornSettings(eps=0.1))
    found = optimise_anchors(spaces, settings)
    x, y = unit_rows(spaces.source.astype(float)), unit_rows(spaces.target.astype(float))
    drawn = torch.randn(5, 6, generator=torch.Generator().manual_seed(36)).double().numpy()
    start = unit_rows(drawn)
    wanted, given = x @ x[spaces.anchors].T, y @ np.concatenate([y[spaces.seeds], start]).T
    costs = np.sqrt(((wanted[:, None] - given[None]) ** 2).sum(axis=2))
    # Each column takes the row whose cost exceeds that row's soft minimum least.
    excess = costs - costs.min(axis=1, keepdims=True)
    excess += 0.1 * np.log(np.exp(-excess / 0.1).sum(axis=1, keepdims=True))
    assigned = excess.argmin(axis=0)
    assert np.diff(np.sort(excess, axis=0)[:2], axis=0).min() > 1e-4
    errors = given - wanted[assigned]
    assert found.history["loss"].to_pylist() == [pytest.approx((errors**2).mean(), rel=1e-5)]
    right = spaces.partners[assigned] == np.arange(40)
    assert found.history["accuracy"].to_pylist() == [pytest.approx(100 * right.mean(), rel=1e-5)]
    # Adam's first step is the learning rate times the sign of each slope; then back to the sphere.
    slope = 2 * errors.T[3:] @ y / errors.size
    np.testing.assert_allclose(found.vectors[3:], unit_rows(start - 0.02 * np.sign(slope)), atol=1e-4)


def test_seeds_stay_and_all_anchors_have_length_one():
    spaces = rotated_spaces(noise=0.5)
    found = optimise_anchors(spaces, OptimisationSettings(steps=3))
    np.testing.assert_allclose(found.vectors[:15], unit_rows(spaces.target)[spaces.seeds], atol=1e-6)
    np.testing.assert_array_equal(found.rows[:15], spaces.seeds)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-6)
    assert len(set(found.rows)) == 30


def test_one_step_moves_the_seed_only_if_it_is_not_held():
    # One anchor, which is the seed. The source words are at 0 (the anchor) and 90 degrees: cosines 1 and 0.
    # The target words are at 0 and 60 degrees: cosines 1 and 1/2. Each word is assigned its partner, so only
    # the second has an error, 1/2. The slope of the loss, (e1^2 + e2^2) / 2, is e2 times the second word:
    # 1/2 (1/2, sqrt(3)/2). Adam's first step is the rate against the sign of each slope: (1 - .1, 0 - .1).
    source, target = (
        np.array([[1, 0], np.round([np.cos(angle), np.sin(angle)], 12)], dtype="f4")
        for angle in np.radians([90, 60])
    )
    spaces = SeededSpaces(source, target, np.array([0]), np.array([0]), np.array([0, 1]))
    held, moved = (
        optimise_anchors(spaces, OptimisationSettings(steps=1, learning_rate=0.1, hold_seeds=hold))
        for hold in (True, False)
    )
    np.testing.assert_allclose(held.vectors, [[1, 0]])
    np.testing.assert_allclose(moved.vectors, [np.array([0.9, -0.1]) / np.hypot(0.9, 0.1)], atol=1e-6)
    for found in (held, moved):
        assert found.history["loss"].to_pylist() == [pytest.approx(1 / 8)]


def test_a_seed_that_moved_gets_the_word_next_to_it():
    target = np.array([[1, 0], [0.5, 3**0.5 / 2], [0.8, -0.6]], dtype="f4")
    spaces = SeededSpaces(np.eye(3, dtype="f4"), target, np.array([0]), np.array([0]))
    found = optimise_anchors(spaces, OptimisationSettings(steps=50, hold_seeds=False))
    assert found.rows.tolist() == [int((target @ found.vectors[0]).argmax())]
    assert found.vectors[0] @ target[0] < 0.999


def test_equal_seeds_give_equal_anchors_and_others_do_not():
    spaces = rotated_spaces(noise=0.5)
    runs = [optimise_anchors(spaces, OptimisationSettings(steps=3, seed=seed)) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0].vectors, runs[1].vectors)
    assert runs[0].history.equals(runs[1].history)
    assert (runs[0].vectors != runs[2].vectors).any()


def test_the_length_of_vectors_does_not_matter():
    spaces = rotated_spaces(noise=0.5)
    longer = SeededSpaces(3 * spaces.source, 5 * spaces.target, spaces.anchors, spaces.seeds, spaces.partners)
    one, two = (optimise_anchors(side, OptimisationSettings(steps=3)).vectors for side in (spaces, longer))
    np.testing.assert_allclose(one, two, atol=1e-4)


def test_without_the_truth_there_is_no_accuracy(caplog):
    spaces = rotated_spaces(words=50)
    blind = SeededSpaces(spaces.source, spaces.target, spaces.anchors, spaces.seeds)
    with caplog.at_level(logging.INFO, "xstitch"):
        found = optimise_anchors(blind, OptimisationSettings(steps=2))
        seeing = optimise_anchors(spaces, OptimisationSettings(steps=2))
    assert found.history["accuracy"].to_pylist() == [None, None]
    assert found.history.schema == seeing.history.schema
    np.testing.assert_array_equal(found.vectors, seeing.vectors)
    assert caplog.records[0].getMessage().startswith("step 1: loss 0.")
    assert caplog.records[-1].getMessage().endswith(" %")


def test_nearest_words_never_take_a_seeds_word():
    words = np.array([[1, 0], [0.9, 0.1], [0, 1]], dtype="f4")
    vectors = np.array([[1, 0], [1, 0]], dtype="f4")
    assert nearest_words(vectors, words, np.array([0])).tolist() == [0, 1]
