"""Word vectors: npz round trip, unit length, lower case."""

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.vectors.table import Vectors, lower_cased, unit_rows


def test_an_npz_round_trip_keeps_words_of_any_script(tmp_path):
    words = ["the", "ქართული", "語", "a b", "'"]
    vectors = Vectors(words, np.arange(10, dtype="f4").reshape(5, 2))
    vectors.save(tmp_path / "v.npz")
    loaded = Vectors.load(tmp_path / "v.npz")
    assert loaded.words == words
    np.testing.assert_array_equal(loaded.matrix, vectors.matrix)
    assert loaded.index["語"] == 2


def test_another_npz_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", x=np.ones(2))
    with pytest.raises(InputError, match="'matrix' and 'words'"):
        Vectors.load(tmp_path / "other.npz")


def test_pickled_arrays_are_refused(tmp_path):
    np.savez(tmp_path / "pickle.npz", matrix=np.array([{}], dtype=object), words=np.zeros(1))
    with pytest.raises(InputError, match="not an npz file of plain arrays"):
        Vectors.load(tmp_path / "pickle.npz")


def test_words_and_rows_must_agree():
    with pytest.raises(ValueError, match="2 words but 1 vectors"):
        Vectors(["a", "b"], np.ones((1, 3)))


def test_zero_rows_stay_zero_at_unit_length():
    np.testing.assert_allclose(unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0.0, 0.0]])


def test_vectors_are_lower_cased_if_hardly_any_word_has_capitals():
    assert lower_cased(["a"] * 199 + ["B"])
    assert not lower_cased(["a", "B"])
