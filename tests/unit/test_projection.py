"""Both sides of a pair mapped: least squares with a known solution, special tokens, norms."""

import numpy as np
import pyarrow as pa
import pytest

from xstitch.errors import InputError
from xstitch.projection import least_squares, map_pair
from xstitch.vectors import Vectors

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


def test_without_rescaling_a_row_lies_within_its_anchors(pair):
    source, target, anchors = pair
    tables = map_pair(source, target, anchors, ["[CLS]"], {**RELATIVE, "rescale": False})
    basis = source.matrix[1:21]
    assert (tables["target"] <= basis.max(axis=0) + 1e-5).all()
    assert (tables["target"] >= basis.min(axis=0) - 1e-5).all()


def test_an_unknown_kind_is_refused(pair):
    with pytest.raises(InputError, match="least-squares"):
        map_pair(*pair, ["[CLS]"], {"kind": "magic"})
