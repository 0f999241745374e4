"""WECHSEL's rows: by hand, and beside the authors' package."""

import sys
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides
from xstitch.spaces.wechsel import wechsel_rows
from xstitch.vectors.table import Vectors

SPECIAL = ["[CLS]"]
MODEL = Vectors(
    ["[CLS]", "dog", "cat", "##s", "house"],
    np.array([[9, 9], [1, 0], [0, 1], [7, 7], [2, 2]], dtype="f4"),
)
SOURCE = Vectors(["house", "the", "dog", "cat"], np.array([[0, 1], [1, 1], [1, 0], [-1, 0]], dtype="f4"))
TARGET = Vectors(["hund", "haus"], np.array([[2, 0], [0, 3]], dtype="f4"))


def test_by_hand():
    """hund: dog has a cosine of 1, house 0. haus: house has 1, dog and cat 0; of these dog comes first."""
    rows = wechsel_rows(MODEL, SPECIAL, Sides(SOURCE, TARGET), TARGET.words, k=2, tau=0.5)
    near = np.exp(2) / (np.exp(2) + 1)
    dog, house = np.array([1, 0]), np.array([2, 2])
    assert np.allclose(rows[0], near * dog + (1 - near) * house, atol=1e-6)
    assert np.allclose(rows[1], near * house + (1 - near) * dog, atol=1e-6)


def test_words_that_are_no_tokens_are_no_neighbours():
    """`the` is nearest to both, but has no row in the model."""
    target = Vectors(["x"], np.array([[1, 1]], dtype="f4"))
    rows = wechsel_rows(MODEL, SPECIAL, Sides(SOURCE, target), ["x"], k=1, tau=0.1)
    assert rows.tolist() in ([[1, 0]], [[2, 2]])  # dog and house are equally near


def test_the_case_of_a_lower_cased_model_is_ignored():
    source = Vectors(["House", "Dog"], np.array([[0, 1], [1, 0]], dtype="f4"))
    rows = wechsel_rows(MODEL, SPECIAL, Sides(source, TARGET), TARGET.words, k=1, tau=0.1)
    assert rows.tolist() == [[1, 0], [2, 2]]


def test_other_target_words_are_refused():
    with pytest.raises(InputError, match="different target vectors"):
        wechsel_rows(MODEL, SPECIAL, Sides(SOURCE, TARGET), ["haus", "hund"], k=1, tau=0.1)


def test_too_few_tokens_are_refused():
    with pytest.raises(InputError, match="k is 4, but 3 of 4 source words"):
        wechsel_rows(MODEL, SPECIAL, Sides(SOURCE, TARGET), TARGET.words, k=4, tau=0.1)


@pytest.fixture
def package(monkeypatch):
    """The authors' package, without its dependencies for data that are of no use here."""
    if find_spec("wechsel") is None:
        pytest.skip("no package wechsel: pip install --no-deps -r requirements/peers.txt")
    for name in ("datasets", "nltk"):
        if find_spec(name) is None:
            absent = ModuleType(name)
            absent.load_dataset = None
            monkeypatch.setitem(sys.modules, name, absent)
    import wechsel

    return wechsel


def test_the_authors_package_computes_the_same_rows(package):
    rng = np.random.default_rng(0)
    words = [f"w{number}" for number in range(60)]
    model = Vectors(words, rng.normal(size=(60, 5)).astype("f4"))
    source = Vectors(words, rng.normal(size=(60, 8)).astype("f4"))
    target = Vectors([f"t{number}" for number in range(40)], rng.normal(size=(40, 8)).astype("f4"))
    ours = wechsel_rows(model, [], Sides(source, target), target.words, k=10, tau=0.1)
    tokenizers = [_tokenizer(side.words) for side in (source, target)]
    theirs, *_ = package.create_target_embeddings(
        source.matrix, target.matrix, *tokenizers, model.matrix.copy(), verbose=False
    )
    assert np.allclose(ours, theirs, atol=1e-5)


def _tokenizer(words):
    """What the package asks of a tokenizer."""

    class Words(SimpleNamespace):
        vocab = {word: row for row, word in enumerate(words)}  # noqa: RUF012
        special_tokens_map = {}  # noqa: RUF012

        def __len__(self):
            return len(words)

        def convert_ids_to_tokens(self, ids):
            return [words[row] for row in ids] if np.ndim(ids) else words[ids]

    return Words()
