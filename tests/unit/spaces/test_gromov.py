"""Anchors by Gromov-Wasserstein transport: rotated spaces are recovered, plans and costs by hand."""

from dataclasses import replace

import numpy as np
import pytest
from rotated import rotated_spaces

from xstitch.core.errors import InputError
from xstitch.spaces.anchors import gromov
from xstitch.spaces.anchors.gromov import chosen_pairs, gromov_anchors, known_cost, transport_plan
from xstitch.spaces.anchors.problem import SeededSpaces
from xstitch.spaces.settings.search import GromovSettings

NONE = np.empty((0, 2), dtype=int)


@pytest.mark.parametrize(
    "shape", [{"words": 150, "width": 10, "anchors": 40}, {"words": 300, "width": 60, "anchors": 60}]
)
def test_a_rotated_space_is_recovered_without_a_pair(shape):
    spaces = rotated_spaces(**shape, seeds=0, noise=0.1)
    found = gromov_anchors(spaces, GromovSettings())
    assert np.mean(found.rows == spaces.partners[spaces.anchors]) > 0.97


def test_words_beyond_the_plan_are_translated_by_the_map():
    # Words are in the same order of frequency on both sides, but for neighbours that changed places.
    spaces = rotated_spaces(words=2000, width=100, anchors=2000, seeds=0, noise=0.1)
    order = np.concatenate([np.random.default_rng(0).permutation(150), np.arange(150, 2000)])
    target = spaces.target[spaces.partners][order]
    partners = np.argsort(order)
    ordered = replace(spaces, target=target, partners=partners)
    found = gromov_anchors(ordered, GromovSettings(words=150))
    assert np.mean(found.rows == partners[spaces.anchors]) > 0.95


def test_plans_are_only_as_large_as_asked_for(monkeypatch):
    sizes = []
    solve = gromov.ot.gromov.entropic_fused_gromov_wasserstein

    def watched(cost, *rest, **settings):
        sizes.append(cost.shape)
        return solve(cost, *rest, **settings)

    monkeypatch.setattr(gromov.ot.gromov, "entropic_fused_gromov_wasserstein", watched)
    gromov_anchors(rotated_spaces(seeds=0, strangers=40), GromovSettings(words=50, steps=2))
    assert sizes == [(50, 50), (50, 50)]


def test_known_pairs_decide_where_the_spaces_do_not():
    # A square looks the same after a quarter turn: only known pairs can tell which corner is which.
    corners = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], float)
    turned = corners[[1, 2, 3, 0]]
    settings = GromovSettings(first_eps=0.2, last_eps=0.05)
    plan, _ = transport_plan(corners, turned, np.array([(0, 3), (1, 0)]), settings)
    assert chosen_pairs(plan).tolist() == [[0, 3], [1, 0], [2, 1], [3, 2]]
    undecided, _ = transport_plan(corners, turned, NONE, settings)
    np.testing.assert_allclose(undecided, 1 / 16, atol=1e-6)
    assert len(chosen_pairs(undecided)) == 0


def test_the_cost_of_known_pairs_by_hand():
    left, right = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    known, theirs = np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    # Cosines to the known words: (1, .6) on the left; (0, 1) and (1, 0) on the right.
    np.testing.assert_allclose(known_cost(left, right, known, theirs), [[(1 + 0.16) / 2, 0.36 / 2]])
    np.testing.assert_array_equal(known_cost(left, right, known[:0], theirs[:0]), [[0, 0]])


def test_chosen_pairs_by_hand():
    plan = np.array([[0.3, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.1, 0.1]])
    # Row 1 prefers column 0, which prefers row 0; row 2 has no preference.
    assert chosen_pairs(plan).tolist() == [[0, 0]]


def test_equal_input_gives_equal_anchors():
    spaces = rotated_spaces(words=80, seeds=5, noise=0.2)
    one, two = (gromov_anchors(spaces, GromovSettings(steps=2)) for _ in range(2))
    np.testing.assert_array_equal(one.vectors, two.vectors)
    assert one.history.equals(two.history)
    assert one.history["mutual"].to_pylist()[-1] > 0


def test_rising_entropy_is_one_clear_line():
    with pytest.raises(InputError, match="last_eps is above first_eps"):
        gromov_anchors(rotated_spaces(seeds=0), GromovSettings(first_eps=0.1, last_eps=0.2))


def test_words_without_preferences_are_one_clear_line():
    corners = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], "f4")
    square = SeededSpaces(corners, corners[[1, 2, 3, 0]], np.arange(2), np.array([], int))
    with pytest.raises(InputError, match="no two words choose each other"):
        gromov_anchors(square, GromovSettings())
