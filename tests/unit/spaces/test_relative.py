"""Relative representations: the three weightings by hand, blocks, and a rotated space."""

import numpy as np
import pytest

from xstitch.spaces import relative, tiles
from xstitch.spaces.relative import (
    clipped_weights,
    map_rows,
    nearest_anchors,
    rescaled,
    softmax_weights,
    sparsemax_weights,
    standard_weights,
)
from xstitch.spaces.settings.relative import RelativeMapping
from xstitch.vectors.table import unit_rows


def mapping(**changes):
    return RelativeMapping(**{"weighting": "standard", "k": 50, "tau": 0.1, "rescale": False, **changes})


def test_standard_weights_divide_by_the_sum():
    np.testing.assert_allclose(standard_weights(np.array([[0.6, 0.3, 0.1]])), [[0.6, 0.3, 0.1]])
    np.testing.assert_allclose(standard_weights(np.array([[0.9, 0.3, 0.0]])), [[0.75, 0.25, 0.0]])


def test_clipped_weights_divide_by_the_sum_of_the_positive_ones():
    np.testing.assert_allclose(clipped_weights(np.array([[0.4, 0.1, -0.5]])), [[0.8, 0.2, 0.0]])
    np.testing.assert_allclose(clipped_weights(np.array([[0.9, 0.3, 0.0]])), [[0.75, 0.25, 0.0]])


def test_clipped_weights_of_a_row_without_positives_take_the_nearest():
    np.testing.assert_array_equal(clipped_weights(np.array([[-0.1, -0.2], [0.0, -0.3]])), [[1, 0], [1, 0]])


@pytest.mark.parametrize(
    ("similarities", "expected"),
    [
        ([0.4, 0.1, -0.3], [2.0, 0.5, -1.5]),  # the sum is 0.2
        ([0.1, -0.2, -0.3], [-0.25, 0.5, 0.75]),  # a negative sum turns the signs around
        ([0.5, -0.4999, 0.0], [5000.0, -4999.0, 0.0]),  # a small sum, but a sum
    ],
)
def test_standard_weights_keep_negative_similarities(similarities, expected, caplog):
    np.testing.assert_allclose(standard_weights(np.array([similarities])), [expected], rtol=1e-9)
    np.testing.assert_allclose(standard_weights(np.array([similarities], "f4")), [expected], rtol=1e-3)
    assert not caplog.records


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_standard_weights_of_a_row_whose_sum_is_nothing_but_rounding_take_the_nearest(dtype, caplog):
    rows = np.array([[0.5, 0.25, -0.75], [0.75, 0.25, 0.0], [0.5, 1e-8, -0.5], [0, 0, 0]], dtype)
    expected = [[1, 0, 0], [0.75, 0.25, 0], [1, 0, 0], [1, 0, 0]]
    np.testing.assert_array_equal(standard_weights(rows), expected)
    assert [record.message for record in caplog.records] == [
        "3 of 4 rows: their similarities to the anchors add up to 0; they take the nearest anchor"
    ]


def test_softmax_weights():
    np.testing.assert_allclose(softmax_weights(np.log([[6.0, 3.0, 1.0]])), [[0.6, 0.3, 0.1]])
    # With a small tau, scores of one row can be too far from another's to share one maximum.
    np.testing.assert_allclose(softmax_weights(np.array([[0.0, 0.0], [1e4, 1e4]])), np.full((2, 2), 0.5))


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1.0, 0.0], [1.0, 0.0]),  # a gap of 1 or more: all on the first
        ([0.5, 0.0], [0.75, 0.25]),  # (1 + gap) / 2
        ([0.1, 0.0, -0.1], [0.1 + 1 / 3, 1 / 3, 1 / 3 - 0.1]),  # all supported: shifted by (1 - sum) / 3
        ([0.6, 0.5, -2.0], [0.55, 0.45, 0.0]),
        ([2.0, 2.0, 2.0, 2.0], [0.25] * 4),
    ],
)
def test_sparsemax_on_known_vectors(scores, expected):
    np.testing.assert_allclose(sparsemax_weights(np.array([scores])), [expected], atol=1e-12)


def on_simplex(scores):
    """Project a row onto the simplex: bisect for the threshold above which scores add up to 1."""
    low, high = scores.min() - 1.0, scores.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(scores - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(scores - low, 0)


@pytest.mark.parametrize("spread", [1e-4, 1e-3, 1.0])
def test_sparsemax_of_thousands_of_anchors_in_single_precision(spread):
    # Scores near 9 add up to tens of thousands, where single precision has steps of hundredths.
    scores = (9 + spread * np.random.default_rng(0).random((3, 8000))).astype("f4")
    weights = sparsemax_weights(scores)
    expected = np.array([on_simplex(row.astype("f8")) for row in scores])
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(weights, expected, atol=1e-7)
    assert weights.dtype == np.float32  # products with larger numbers would take eight times as long


def test_top_anchors_are_by_cosine_in_descending_order():
    rows = np.array([[3.0, 0.0], [1.0, 1.01]])
    anchors = np.array([[0.0, 5.0], [0.2, 0.0], [0.8, 0.6], [-1.0, 0.0]])
    ((_, nearest, similarities),) = nearest_anchors(rows, anchors, 2)
    np.testing.assert_array_equal(nearest, [[1, 2], [2, 0]])
    norm = np.sqrt(1 + 1.01**2)
    np.testing.assert_allclose(similarities, [[1, 0.8], [1.406 / norm, 1.01 / norm]], rtol=1e-6)


def test_of_equally_near_anchors_the_first_are_taken():
    anchors = np.where(np.arange(300)[:, None] % 3, [[7.0, 24.0]], [[3.0, 4.0]])
    anchors[70] = [1.0, 0.0]
    ((_, nearest, similarities),) = nearest_anchors(np.array([[2.0, 0.0]]), anchors, 4)
    np.testing.assert_array_equal(nearest, [[70, 0, 3, 6]])
    np.testing.assert_allclose(similarities, [[1, 0.6, 0.6, 0.6]], rtol=1e-6)


def test_mapping_by_hand():
    # Row (1, 0): cosines 1 and 0.6 to the anchors, so weights 0.625 and 0.375 on the basis.
    mapped = map_rows(
        np.array([[1.0, 0.0]]),
        np.array([[2.0, 0.0], [0.6, 0.8]]),
        np.array([[8.0, 0, 0], [0, 16.0, 0]]),
        mapping(),
    )
    np.testing.assert_allclose(mapped, [[5.0, 6.0, 0.0]], rtol=1e-6)
    assert mapped.dtype == np.float32


@pytest.mark.parametrize(
    ("negative", "expected"), [("literal", [20.0, -24.0, 0.0]), ("clip", [8.0, 0.0, 0.0])]
)
def test_mapping_with_a_negative_cosine_by_hand(negative, expected):
    # Cosines 1 and -0.6: divided by their sum 2.5 and -1.5; with -0.6 as 0, the first alone.
    mapped = map_rows(
        np.array([[1.0, 0.0]]),
        np.array([[2.0, 0.0], [-0.6, 0.8]]),
        np.array([[8.0, 0, 0], [0, 16.0, 0]]),
        mapping(negative=negative, k=None),
    )
    np.testing.assert_allclose(mapped, [expected], rtol=1e-5)


def test_tau_sharpens_softmax_but_not_standard():
    rows, anchors, basis = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.6, 0.8]]), np.eye(2)
    soft = [map_rows(rows, anchors, basis, mapping(weighting="softmax", tau=tau))[0, 0] for tau in (1, 0.1)]
    plain = [map_rows(rows, anchors, basis, mapping(tau=tau))[0, 0] for tau in (1, 0.1)]
    np.testing.assert_allclose(soft, [1 / (1 + np.exp(-0.4)), 1 / (1 + np.exp(-4))], rtol=1e-5)
    assert plain[0] == plain[1]


def test_k_of_one_is_the_nearest_anchor():
    random = np.random.default_rng(0)
    rows, anchors, basis = (
        random.normal(size=(30, 8)),
        random.normal(size=(12, 8)),
        random.normal(size=(12, 5)),
    )
    nearest = (unit_rows(rows) @ unit_rows(anchors).T).argmax(axis=1)
    np.testing.assert_allclose(map_rows(rows, anchors, basis, mapping(k=1)), basis[nearest], rtol=1e-5)


@pytest.mark.parametrize("weighting", ["standard", "softmax", "sparsemax"])
def test_all_anchors_without_a_search_are_as_many_as_there_are(weighting):
    random = np.random.default_rng(0)
    rows, anchors, basis = (random.normal(size=size) for size in ((30, 8), (12, 8), (12, 5)))
    rows[0] = -anchors.sum(axis=0)  # hardly any anchor is near
    everything = map_rows(rows, anchors, basis, mapping(weighting=weighting, k=None))
    searched = map_rows(rows, anchors, basis, mapping(weighting=weighting, k=12))
    np.testing.assert_allclose(everything, searched, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("weights", [clipped_weights, standard_weights])
def test_a_row_without_a_sum_takes_its_nearest_anchor_wherever_it_is(weights):
    similarities = {clipped_weights: [-0.4, -0.1, -0.2], standard_weights: [-0.75, 0.5, 0.25]}[weights]
    np.testing.assert_array_equal(weights(np.array([similarities])), [[0, 1, 0]])


def test_sparsemax_in_any_order():
    np.testing.assert_allclose(sparsemax_weights(np.array([[-2.0, 0.5, 0.6]])), [[0.0, 0.45, 0.55]])


def test_blocks_change_nothing(monkeypatch):
    random = np.random.default_rng(1)
    rows, anchors, basis = (
        random.normal(size=(57, 8)),
        random.normal(size=(20, 8)),
        random.normal(size=(20, 4)),
    )
    whole = map_rows(rows, anchors, basis, mapping(k=5, weighting="sparsemax"))
    monkeypatch.setattr(tiles, "TILE_SCORES", 20 * 7)  # seven rows per block
    blocks = [block for block, *_ in nearest_anchors(rows, anchors, 5)]
    assert blocks[0] == slice(0, 7)
    assert blocks[-1] == slice(56, 57)
    np.testing.assert_allclose(
        map_rows(rows, anchors, basis, mapping(k=5, weighting="sparsemax")), whole, rtol=1e-5
    )


def test_blocks_of_all_anchors_are_as_large_and_change_nothing(monkeypatch):
    random = np.random.default_rng(1)
    rows, anchors, basis = (random.normal(size=size) for size in ((57, 8), (20, 8), (20, 4)))
    whole = map_rows(rows, anchors, basis, mapping(k=None))
    monkeypatch.setattr(relative, "TILE_SCORES", 20 * 7)
    blocks = [block for block, _ in relative.all_similarities(rows, anchors)]
    assert blocks[0] == slice(0, 7)
    assert blocks[-1] == slice(56, 57)
    np.testing.assert_allclose(map_rows(rows, anchors, basis, mapping(k=None)), whole, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("weighting", ("standard", "softmax", "sparsemax"))
def test_a_rotated_space_maps_to_the_same_neighbours(weighting):
    # Rotation and scaling do not change cosines: a target space that is a rotated source space must map each
    # word to the embedding its source twin maps to.
    random = np.random.default_rng(2)
    source = random.normal(size=(300, 32))
    rotation, _ = np.linalg.qr(random.normal(size=(32, 32)))
    target = 3.0 * source @ rotation
    anchors = np.arange(0, 300, 2)
    settings = mapping(weighting=weighting, k=10, tau=1.0)  # soft: no two words share one anchor alone
    mapped_source = map_rows(source, source[anchors], source[anchors], settings)
    mapped_target = map_rows(target, target[anchors], source[anchors], settings)
    np.testing.assert_allclose(mapped_target, mapped_source, atol=1e-4)
    nearest = (unit_rows(mapped_target) @ unit_rows(mapped_source).T).argmax(axis=1)
    assert (nearest == np.arange(300)).mean() > 0.99


def test_rescaling_brings_every_row_to_the_norm():
    np.testing.assert_allclose(
        rescaled(np.array([[3.0, 4.0], [0.0, 0.1]]), 2.0), [[1.2, 1.6], [0.0, 2.0]], rtol=1e-6
    )
    assert not rescaled(np.zeros((1, 2)), 2.0).any()


def test_tau_sharpens_sparsemax():
    # Cosines 1 and 0.6; a gap of g below 1 gives weights (1 + g) / 2 and (1 - g) / 2, and g is 0.4 / tau.
    rows, anchors, basis = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.6, 0.8]]), np.eye(2)
    for tau, expected in ((1.0, [0.7, 0.3]), (0.5, [0.9, 0.1]), (0.1, [1.0, 0.0])):
        mapped = map_rows(rows, anchors, basis, mapping(weighting="sparsemax", tau=tau))
        np.testing.assert_allclose(mapped, [expected], atol=1e-6)
