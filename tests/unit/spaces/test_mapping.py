"""Both sides of a pair mapped: least squares with a known solution, special tokens, norms."""

import numpy as np
import pyarrow as pa
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.mapping import canonical, least_squares, map_pair, rotated
from xstitch.vectors.table import Vectors

RELATIVE = {"kind": "relative", "weighting": "softmax", "k": 5, "tau": 0.1, "rescale": True}


@pytest.fixture
def pair():
    random = np.random.default_rng(0)
    source = Vectors(["[CLS]", *(f"s{i}" for i in range(40))], random.normal(size=(41, 6)).astype("f4"))
    target = Vectors([f"t{i}" for i in range(50)], random.normal(size=(50, 4)).astype("f4"))
    anchors = pa.table({"source_row": list(range(1, 21)), "target_row": list(range(20))})
    return source, target, anchors


def test_least_squares_finds_the_exact_map():
    random = np.random.default_rng(1)
    truth = random.normal(size=(4, 6))
    anchors = random.normal(size=(30, 4))
    rows = random.normal(size=(9, 4)).astype("f4")
    np.testing.assert_allclose(least_squares(rows, anchors, anchors @ truth), rows @ truth, atol=1e-5)


def test_least_squares_by_hand():
    # One dimension: W = (a . b) / (a . a) = (1*2 + 2*3) / (1 + 4) = 1.6
    rows = np.array([[10.0]], dtype="f4")
    np.testing.assert_allclose(
        least_squares(rows, np.array([[1.0], [2.0]]), np.array([[2.0], [3.0]])), [[16.0]]
    )


def test_least_squares_leaves_the_source_side_alone(pair):
    source, target, anchors = pair
    assert set(map_pair(source, target, anchors, ["[CLS]"], {"kind": "least-squares"})) == {"target"}


def test_special_tokens_keep_their_rows_and_no_other_row_does(pair):
    source, target, anchors = pair
    tables = map_pair(source, target, anchors, ["[CLS]"], RELATIVE)
    np.testing.assert_array_equal(tables["source"][0], source.matrix[0])
    assert not np.isclose(tables["source"][1:], source.matrix[1:]).all(axis=1).any()


def test_mapped_rows_have_the_mean_norm_of_the_original_table(pair):
    source, target, anchors = pair
    tables = map_pair(source, target, anchors, ["[CLS]"], RELATIVE)
    norm = np.linalg.norm(source.matrix, axis=1).mean()
    np.testing.assert_allclose(np.linalg.norm(tables["target"], axis=1), norm, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(tables["source"][1:], axis=1), norm, rtol=1e-5)


@pytest.mark.parametrize("kind", ["least-squares", "orthogonal", "vecmap"])
def test_linear_maps_are_rescaled_only_if_asked(pair, kind):
    source, target, anchors = pair
    plain, off, on = (
        map_pair(source, target, anchors, ["[CLS]"], {"kind": kind, **more})["target"]
        for more in ({}, {"rescale": False}, {"rescale": True})
    )
    np.testing.assert_array_equal(off, plain)
    lengths = np.linalg.norm(plain, axis=1, keepdims=True)
    norm = np.sqrt((source.matrix**2).sum(axis=1)).mean()
    np.testing.assert_allclose(on, plain / lengths * norm, rtol=1e-4)
    assert not np.allclose(lengths, norm, rtol=0.1)


def test_negative_cosines_are_kept_unless_clipped():
    # Target (1, 0) has cosines 1 and -0.6 to the anchors, whose source rows are (8, 0) and (0, 16).
    source = Vectors(["a", "b"], np.array([[8.0, 0], [0, 16.0]], dtype="f4"))
    target = Vectors(["x", "y"], np.array([[1.0, 0], [-0.6, 0.8]], dtype="f4"))
    anchors = pa.table({"source_row": [0, 1], "target_row": [0, 1]})
    standard = {**RELATIVE, "weighting": "standard", "k": None, "rescale": False}
    literal, clipped = (
        map_pair(source, target, anchors, [], {**standard, "negative": negative})["target"][0]
        for negative in ("literal", "clip")
    )
    np.testing.assert_allclose(literal, [20, -24], rtol=1e-5)
    np.testing.assert_allclose(clipped, [8, 0], rtol=1e-5)


def test_a_centred_space_forgets_what_all_its_anchors_share(pair):
    """Shifting a whole space changes cosines, but not those around the anchors' mean."""
    source, target, anchors = pair
    centred = {**RELATIVE, "centre": True}
    moved = Vectors(target.words, target.matrix + np.float32(3))
    first, second = (map_pair(source, side, anchors, [], centred)["target"] for side in (target, moved))
    np.testing.assert_allclose(first, second, atol=1e-4)
    plain, shifted = (map_pair(source, side, anchors, [], RELATIVE)["target"] for side in (target, moved))
    assert np.abs(plain - shifted).max() > 0.1


def test_centred_rows_keep_the_mean_of_the_source_anchors_and_the_spread_around_it(pair):
    source, target, anchors = pair
    tables = map_pair(source, target, anchors, [], {**RELATIVE, "centre": True})
    mean = source.matrix[1:21].mean(axis=0)
    spread = np.linalg.norm(source.matrix - mean, axis=1).mean()
    np.testing.assert_allclose(np.linalg.norm(tables["target"] - mean, axis=1), spread, rtol=1e-4)


def test_centred_anchors_are_their_own_nearest(pair):
    source, target, anchors = pair
    settings = {**RELATIVE, "weighting": "standard", "k": 1, "rescale": False, "centre": True}
    tables = map_pair(source, target, anchors, [], settings)
    np.testing.assert_allclose(tables["source"][1:21], source.matrix[1:21], atol=1e-5)
    np.testing.assert_allclose(tables["target"][:20], source.matrix[1:21], atol=1e-5)


def test_without_rescaling_a_row_lies_within_its_anchors(pair):
    source, target, anchors = pair
    tables = map_pair(source, target, anchors, ["[CLS]"], {**RELATIVE, "rescale": False})
    basis = source.matrix[1:21]
    assert (tables["target"] <= basis.max(axis=0) + 1e-5).all()
    assert (tables["target"] >= basis.min(axis=0) - 1e-5).all()


def test_an_unknown_kind_is_refused(pair):
    with pytest.raises(InputError, match="not one of relative, least-squares, orthogonal, vecmap"):
        map_pair(*pair, ["[CLS]"], {"kind": "magic"})


def test_rotation_recovers_a_rotated_shifted_and_scaled_space():
    random = np.random.default_rng(2)
    rows = random.normal(size=(60, 4)).astype("f4")
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rotation, _ = np.linalg.qr(random.normal(size=(6, 4)))
    truth = 3.0 * rows @ rotation.T + np.arange(6)
    np.testing.assert_allclose(rotated(rows, rows[:30], truth[:30].astype("f4")), truth, atol=1e-4)


def test_rotation_only_looks_at_directions():
    """Only a row's direction counts, so its length in the target space must not matter."""
    random = np.random.default_rng(3)
    rows = random.normal(size=(40, 5)).astype("f4")
    images = random.normal(size=(20, 5)).astype("f4")
    longer = rows * random.uniform(0.5, 9, size=(40, 1)).astype("f4")
    np.testing.assert_allclose(
        rotated(longer, longer[:20], images), rotated(rows, rows[:20], images), atol=1e-4
    )


def test_canonical_map_with_full_weight_is_regression_with_an_intercept():
    random = np.random.default_rng(4)
    rows = random.normal(size=(50, 3)).astype("f4")
    images = (rows[:40] @ random.normal(size=(3, 5)) + random.normal(size=(40, 5))).astype("f4")
    with_one = np.c_[rows, np.ones(len(rows))]
    matrix, *_ = np.linalg.lstsq(with_one[:40], images, rcond=None)
    np.testing.assert_allclose(canonical(rows, rows[:40], images, 1.0), with_one @ matrix, atol=1e-4)


def test_a_smaller_weight_shrinks_uncertain_directions_less():
    """One dimension by hand: slope r * sd(images) / sd(rows), with r to the power of the weight."""
    rows = np.array([[-1.0], [0.0], [1.0]], dtype="f4")
    images = np.array([[-1.0], [1.0], [0.0]], dtype="f4")  # r = 0.5, equal spreads
    for weight, slope in ((1.0, 0.5), (0.5, 0.5**0.5), (0.0, 1.0)):
        np.testing.assert_allclose(canonical(rows, rows, images, weight)[2], slope, rtol=1e-6)


def test_too_few_anchors_for_whitening_are_refused():
    rows = np.ones((4, 4), dtype="f4")
    with pytest.raises(InputError, match="4 anchors cannot whiten"):
        canonical(rows, rows, rows, 0.5)


def test_a_share_of_the_original_embeddings_stays_on_the_source_side(pair):
    source, target, anchors = pair
    plain = map_pair(source, target, anchors, ["[CLS]"], RELATIVE)
    mixed = map_pair(source, target, anchors, ["[CLS]"], {**RELATIVE, "original": 0.25})
    np.testing.assert_allclose(mixed["source"], 0.75 * plain["source"] + 0.25 * source.matrix, atol=1e-6)
    np.testing.assert_array_equal(mixed["target"], plain["target"])


@pytest.mark.parametrize(("k", "weights"), [(1, [1]), (2, [1 / 1.6, 0.6 / 1.6]), (None, [1, 0.6, 0.28])])
def test_k_counts_the_nearest_anchors_of_both_sides(k, weights):
    # Word w of either side has cosines 1, 0.6 and 0.28 to the anchors of its side, which differ.
    basis = np.array([[2, 0], [3, 4], [0.28, 0.96]], dtype="f4")
    source = Vectors(["a", "b", "c", "w"], np.vstack([basis, [[5, 0]]]).astype("f4"))
    images = [[0, 1, 0], [0, 0.6, 0.8], [0.96, 0.28, 0], [0, 7, 0]]
    target = Vectors(["x", "y", "z", "w"], np.array(images, dtype="f4"))
    anchors = pa.table({"source_row": [0, 1, 2], "target_row": [0, 1, 2]})
    settings = {**RELATIVE, "weighting": "standard", "k": k, "rescale": False}
    tables = map_pair(source, target, anchors, [], settings)
    expected = np.array(weights) @ basis[: len(weights)] / sum(weights)
    for side in ("source", "target"):
        np.testing.assert_allclose(tables[side][3], expected, rtol=1e-5)


def test_vecmap_maps_a_pair_with_half_the_weight():
    # As above: correlation 0.5 and equal spreads, so a slope of the root of 0.5.
    source = Vectors(["a", "b", "c"], np.array([[-1], [1], [0]], dtype="f4"))
    target = Vectors(["x", "y", "z"], np.array([[-1], [0], [1]], dtype="f4"))
    anchors = pa.table({"source_row": [0, 1, 2], "target_row": [0, 1, 2]})
    mapped = map_pair(source, target, anchors, [], {"kind": "vecmap"})["target"]
    np.testing.assert_allclose(mapped, 0.5**0.5 * target.matrix, atol=1e-6)
