"""Anchors by matched centroids: rotated spaces are recovered without a pair, also at a realistic size."""

from dataclasses import replace

import numpy as np
import pytest
from rotated import rotated_spaces

from xstitch.core.errors import InputError
from xstitch.spaces.anchors.centroids import (
    centroid_anchors,
    found_by_map,
    mutual_pairs,
    procrustes,
    refined_maps,
)
from xstitch.spaces.anchors.problem import SeededSpaces
from xstitch.spaces.settings.search import CentroidSettings
from xstitch.spaces.vecmap import normalise

QUICK = CentroidSettings(runs=25, restarts=20, neighbours=10, iterations=5, fine_clusters=100)
NONE = np.empty((0, 2), dtype=int)


@pytest.mark.parametrize(("words", "width"), [(1500, 60), (3000, 100)])
def test_a_rotated_space_is_recovered_without_a_pair(words, width):
    spaces = rotated_spaces(words=words, width=width, anchors=100, seeds=0, noise=0.3)
    found = centroid_anchors(spaces, QUICK)
    assert np.mean(found.rows == spaces.partners[spaces.anchors]) > 0.97
    stages = found.history["stage"].to_pylist()
    assert (stages.count("run"), stages.count("refinement")) == (25, 6)


def test_spaces_may_differ_in_size_and_dimensions():
    spaces = rotated_spaces(words=1500, width=60, anchors=50, seeds=0, target_width=70, strangers=200)
    found = centroid_anchors(spaces, QUICK)
    assert np.mean(found.rows == spaces.partners[spaces.anchors]) > 0.9
    assert found.vectors.shape == (50, 70)


def test_known_pairs_help_where_centroids_alone_do_not():
    # So few words have no stable clusters.
    settings = replace(QUICK, clusters=10, fine_clusters=0)
    shape = {"words": 300, "width": 10, "anchors": 100, "noise": 0.2}
    shares = []
    for seeds in (0, 50):
        spaces = rotated_spaces(**shape, seeds=seeds)
        found = centroid_anchors(spaces, settings)
        np.testing.assert_array_equal(found.rows[:seeds], spaces.seeds)
        shares.append(np.mean(found.rows[50:] == spaces.partners[spaces.anchors[50:]]))
    assert shares[0] < 0.5
    assert shares[1] > 0.9


def test_equal_seeds_give_equal_anchors_and_the_truth_is_not_used():
    spaces = rotated_spaces(words=400, width=20, anchors=40, seeds=5, noise=0.3)
    blind = SeededSpaces(spaces.source, spaces.target, spaces.anchors, spaces.seeds)
    settings = replace(QUICK, runs=3)
    one, two, other = (
        centroid_anchors(*run)
        for run in ((spaces, settings), (blind, settings), (spaces, replace(settings, seed=1)))
    )
    np.testing.assert_array_equal(one.vectors, two.vectors)
    np.testing.assert_array_equal(one.rows, two.rows)
    assert one.history.equals(two.history)
    assert not one.history.equals(other.history)


def test_a_refinement_by_hand():
    # The nearest to each mapped word is its partner, but for a quarter turn of which a tenth is missing.
    turn = lambda angle: np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])  # noqa: E731
    x = np.stack([turn(angle)[0] for angle in np.arange(12) * np.pi / 6]).astype("f4")
    z = x @ turn(np.pi / 2).astype("f4")
    start = turn(0.9 * np.pi / 2)
    settings = replace(QUICK, neighbours=1, iterations=2, fine_clusters=0, smoothing=0.25)
    first, second = refined_maps(x, z, NONE, start, settings, np.random.default_rng(0))
    np.testing.assert_allclose(first, 0.25 * start + 0.75 * turn(np.pi / 2), atol=1e-5)
    np.testing.assert_allclose(second, 0.25 * first + 0.75 * turn(np.pi / 2), atol=1e-5)


def test_procrustes_finds_the_rotation():
    random = np.random.default_rng(0)
    rotation = np.linalg.qr(random.normal(size=(5, 5)))[0]
    rows = random.normal(size=(20, 5))
    np.testing.assert_allclose(procrustes(rows, rows @ rotation), rotation, atol=1e-9)


def test_only_mutual_pairs_are_taken():
    # Word 2 of the left is nearest to word 0 of the right, whose nearest is word 0.
    left = np.array([[1, 0, 0], [0, 1, 0], [0.9, 0, 0.44]], "f4")
    right = np.array([[1, 0, 0], [0, 1, 0]], "f4")
    assert mutual_pairs(left, right, 1).tolist() == [[0, 0], [1, 1]]


def test_the_true_map_finds_the_true_words():
    spaces = rotated_spaces(seeds=0)
    x, z = normalise(spaces.source), normalise(spaces.target)
    found = found_by_map(spaces, x, z, procrustes(x, z[spaces.partners]), 10, None)
    np.testing.assert_array_equal(found.rows, spaces.partners[spaces.anchors])


def test_more_clusters_than_words_are_one_clear_line():
    with pytest.raises(InputError, match="500 clusters of 300 words: lower clusters and fine_clusters"):
        centroid_anchors(rotated_spaces(seeds=0), CentroidSettings())
