"""Word vectors on real files of every format."""

import numpy as np
import pytest

from xstitch.vectors.formats.read import read_vectors

pytestmark = pytest.mark.real
# Words and dimensions that can be used; the cp852 model has 171 words, 69 of them not in UTF-8.
USABLE = {
    "cp852_fasttext.bin": (102, 2),
    "crime-and-punishment.bin": (291, 5),
    "crime-and-punishment.vec": (291, 5),
    "lee_fasttext.bin": (1762, 10),
    "lee_fasttext.vec": (1762, 10),
    "non_ascii_fasttext.bin": (171, 2),
    "test_glove.txt": (76, 50),
    "wiki.en.header-larger-than-body.vec": (99, 300),
    "x2static_mapped_768d.txt": (124, 768),
}


def test_every_edge_case_is_read(data):
    found = {file.name: read_vectors(file) for file in (data / "vectors/edge_cases").iterdir()}
    assert {name: vectors.matrix.shape for name, vectors in found.items()} == USABLE
    assert all(np.isfinite(vectors.matrix).all() for vectors in found.values())


@pytest.mark.parametrize("name", ["crime-and-punishment", "lee_fasttext"])
def test_fasttext_models_agree_with_their_text(data, name):
    model, text = (read_vectors(data / f"vectors/edge_cases/{name}{ending}") for ending in (".bin", ".vec"))
    assert model.words == text.words
    # fastText prints five significant digits.
    np.testing.assert_allclose(model.matrix, text.matrix, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ["cp852_fasttext", "non_ascii_fasttext"])
def test_fasttext_models_agree_with_gensim(data, name):
    from gensim.models.fasttext import load_facebook_vectors

    path = data / f"vectors/edge_cases/{name}.bin"
    vectors, keyed = read_vectors(path), load_facebook_vectors(str(path))
    np.testing.assert_allclose(vectors.matrix, keyed[vectors.words], rtol=1e-5, atol=1e-7)


def test_what_is_left_out_is_said(data, caplog):
    read_vectors(data / "vectors/edge_cases/cp852_fasttext.bin")
    read_vectors(data / "vectors/edge_cases/wiki.en.header-larger-than-body.vec")
    assert "69 of 171 rows left out: not UTF-8" in caplog.text
    assert "promises 2519370 rows, the file has 99" in caplog.text


def test_real_spaces_agree_with_gensim(data):
    from gensim.models import KeyedVectors

    for name in ("en.glove.100d.vec.gz", "zh.word2vec.100d.vec.gz"):
        path = data / "vectors" / name
        vectors, keyed = read_vectors(path, 3000), KeyedVectors.load_word2vec_format(str(path), limit=3000)
        assert vectors.words == keyed.index_to_key
        np.testing.assert_allclose(vectors.matrix, keyed.vectors, rtol=1e-7)
