"""Aligned spaces: both sides come back with their words; other files are refused; spaces are joined."""

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides, common_space, load_aligned, save_aligned
from xstitch.vectors.table import Vectors


def test_both_sides_come_back_with_their_words(tmp_path):
    source = Vectors(["the", "語"], np.arange(6, dtype="f4").reshape(2, 3))
    target = Vectors(["ŋa", "b c", "d"], np.arange(9, dtype="f4").reshape(3, 3))
    save_aligned(Sides(source, target), tmp_path / "a.npz")
    for loaded, side in zip(load_aligned(tmp_path / "a.npz"), (source, target), strict=True):
        assert loaded.words == side.words
        assert loaded.matrix.dtype == np.float32
        np.testing.assert_array_equal(loaded.matrix, side.matrix)


@pytest.mark.parametrize(
    "words", [{}, {"source_words": np.zeros(0, "u1"), "target_words": np.zeros(0, "u1")}]
)
def test_a_file_without_the_words_is_refused(tmp_path, words):
    np.savez(tmp_path / "a.npz", source=np.ones((2, 3)), target=np.ones((2, 3)), **words)
    with pytest.raises(InputError, match=r"a\.npz: does not hold aligned vectors .*; make it again"):
        load_aligned(tmp_path / "a.npz")


def test_images_of_one_space_are_mapped_to_the_first():
    random = np.random.default_rng(0)
    rows, maps = random.normal(size=(20, 4)), random.normal(size=(3, 4, 4))
    images = [rows @ w for w in maps]
    for image, back in zip(images, common_space(images), strict=True):
        np.testing.assert_allclose(image @ back, images[0], atol=1e-8)
