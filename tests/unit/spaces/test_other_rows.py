"""Rows from a dictionary's subwords, from shared words (FOCUS) and by regression: by hand."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import Ridge
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordPiece

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides
from xstitch.spaces.dictionary_tokens import dictionary_rows
from xstitch.spaces.focus import focus_rows
from xstitch.spaces.mapping import Aids, inverse_relative, map_pair
from xstitch.spaces.regression import held_out_error, regression_rows, ridge
from xstitch.vectors.table import Vectors

WORDS = ["[UNK]", "dog", "house", "##s", "hound", "jesus"]
MODEL = Vectors(WORDS, np.array([[9, 9], [1, 0], [0, 1], [4, 4], [3, 0], [6, 2]], dtype="f4"))
NO_ANCHORS = pa.table({"source_row": pa.array([], pa.int64()), "target_row": pa.array([], pa.int64())})


def tokenizer():
    made = Tokenizer(WordPiece({word: row for row, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def lexicon(*pairs):
    return pa.table(
        {
            "source": [source for source, _ in pairs],
            "target": [target for _, target in pairs],
            "score": [1.0] * len(pairs),
        }
    )


def test_dictionary_tokens_are_the_mean_of_all_subwords_of_all_translations():
    """Hunde: dogs is dog and ##s, with hound three rows: (1 + 4 + 3) / 3 and (0 + 4 + 0) / 3."""
    pairs = lexicon(("dogs", "Hunde"), ("hound", "Hunde"), ("house", "Haus"))
    rows = dictionary_rows(MODEL, tokenizer(), pairs, ["Hunde", "Haus", "Xx", "jesus"])
    assert np.allclose(rows, [[8 / 3, 4 / 3], [0, 1], [9, 9], [6, 2]])  # Xx is unknown, jesus a name


def test_padding_and_truncation_that_a_tokenizer_comes_with_do_not_count():
    pairs = lexicon(("dogs", "Hunde"), ("house", "Haus"))
    padding = tokenizer()
    padding.enable_padding(pad_id=5, pad_token="jesus", length=4)
    padding.enable_truncation(1)
    rows = dictionary_rows(MODEL, padding, pairs, ["Hunde", "Haus"])
    assert rows.tolist() == [[2.5, 2], [0, 1]]


def test_dictionary_tokens_of_lower_cased_vectors_fold_the_lexicon():
    pairs = lexicon(("house", "Haus"))
    assert dictionary_rows(MODEL, tokenizer(), pairs, ["haus"]).tolist() == [[0, 1]]
    assert dictionary_rows(MODEL, tokenizer(), pairs, ["haus", "A", "B"])[0].tolist() == [9, 9]  # cased


def test_a_dictionary_is_one_of_the_kinds_and_rows_can_be_rescaled():
    target = Vectors(["haus"], np.zeros((1, 3), dtype="f4"))
    aids = Aids(lexicon=lexicon(("house", "haus"), ("dog", "haus")), tokenizer=tokenizer())
    settings = {"kind": "dictionary"}
    assert map_pair(MODEL, target, NO_ANCHORS, [], settings, aids)["target"].tolist() == [[0.5, 0.5]]
    rows = map_pair(MODEL, target, NO_ANCHORS, [], {**settings, "rescale": True}, aids)["target"]
    norm = np.mean([162**0.5, 1, 1, 32**0.5, 3, 40**0.5])
    assert np.allclose(rows, np.array([[0.5, 0.5]]) * norm / 0.5**0.5)


def test_focus_keeps_shared_words_and_weighs_the_others_by_sparsemax():
    """The cosines of hund are .96 (dog), .28 (house), -.28: sparsemax gives .84, .16 and 0."""
    target = Vectors(
        ["hund", "dog", "house", "Jesus"], np.array([[24, 7], [1, 0], [0, 2], [0, -3]], dtype="f4")
    )
    rows = focus_rows(MODEL, ["[UNK]"], target)
    assert np.allclose(rows[0], 0.84 * MODEL.matrix[1] + 0.16 * MODEL.matrix[2], atol=1e-6)
    assert rows[1:].tolist() == [[1, 0], [0, 1], [6, 2]]


def test_focus_reads_a_cased_model_as_it_is():
    model = Vectors(["Dog", "Cat", "house"], np.eye(3, dtype="f4"))
    target = Vectors(["dog", "house"], np.array([[1, 1], [0, 1]], dtype="f4"))
    assert focus_rows(model, [], target).tolist() == [[0, 0, 1], [0, 0, 1]]


def test_focus_needs_shared_words_other_than_parts_and_special_tokens():
    target = Vectors(["[UNK]", "##s", "x"], np.ones((3, 2), dtype="f4"))
    with pytest.raises(InputError, match="no target word is a token of the model"):
        focus_rows(MODEL, ["[UNK]"], target)


def data():
    random = np.random.default_rng(3)
    vectors = random.normal(size=(40, 4)) * [1, 2, 3, 4] + 5
    images = vectors @ random.normal(size=(4, 6)) + random.normal(size=(40, 6)) * 3 + 7
    return vectors.astype("f4"), images.astype("f4"), random.normal(size=(8, 4)).astype("f4")


def alpha(vectors, penalty):
    """The same penalty for scikit-learn: times the mean sum of squares of a centred feature."""
    return penalty * np.square(vectors - vectors.mean(axis=0)).sum() / vectors.shape[1]


@pytest.mark.parametrize("penalty", [0.01, 3.0])
def test_ridge_as_scikit_learns(penalty):
    vectors, images, rows = data()
    expected = Ridge(alpha=alpha(vectors.astype(float), penalty)).fit(vectors, images).predict(rows)
    assert np.allclose(ridge(vectors, images, rows, penalty), expected, atol=1e-3)


def test_the_error_is_that_of_words_held_out():
    vectors, images, _ = data()
    fold = np.arange(40) % 5
    splits = [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(5)]
    total = 0.0
    for seen, unseen in splits:
        model = Ridge(alpha=alpha(vectors[seen].astype(float), 0.1)).fit(vectors[seen], images[seen])
        total += np.square(model.predict(vectors[unseen]) - images[unseen]).mean() / 5
    assert held_out_error(vectors, images, 0.1) == pytest.approx(total, rel=1e-4)
    seen_too = ridge(vectors, images, vectors, 0.1)
    assert total > 1.1 * np.square(seen_too - images).mean()


def test_regression_learns_from_words_that_are_tokens_with_the_best_penalty():
    vectors, images, rows = data()
    words = [f"w{number}" for number in range(40)]
    model = Vectors(["[CLS]", *words[:30]], np.concatenate([np.full((1, 6), 99), images[:30]]).astype("f4"))
    target = Vectors([f"t{number}" for number in range(8)], rows)
    sides = Sides(Vectors(words, vectors), target)
    errors = {penalty: held_out_error(vectors[:30], images[:30], penalty) for penalty in (1e-3, 0.3, 1e3)}
    best = min(errors, key=errors.get)
    found = regression_rows(model, ["[CLS]"], sides, target.words, [*errors])
    assert np.allclose(found, ridge(vectors[:30], images[:30], rows, best))
    others = [penalty for penalty in errors if penalty != best]
    assert not any(np.allclose(found, ridge(vectors[:30], images[:30], rows, other)) for other in others)
    settings = {"kind": "regression", "penalties": [*errors]}
    mapped = map_pair(model, target, NO_ANCHORS, ["[CLS]"], settings, Aids(aligned=sides))["target"]
    assert np.allclose(mapped, found)


def test_regression_needs_some_tokens():
    target = Vectors(["x"], np.ones((1, 2), dtype="f4"))
    source = Vectors(["dog", "cat"], np.ones((2, 2), dtype="f4"))
    with pytest.raises(InputError, match="1 of 2 source words are tokens"):
        regression_rows(MODEL, ["[UNK]"], Sides(source, target), ["x"], [1.0])


def test_inverse_relative_rows_have_the_cosines_of_the_originals():
    """In a rotated copy of a space, cosines to anchors lead back to the same points; lengths are lost."""
    random = np.random.default_rng(0)
    rotation = np.linalg.qr(random.normal(size=(5, 5)))[0]
    anchors, rows = random.normal(size=(20, 5)), random.normal(size=(7, 5))
    images = 3 * anchors @ rotation + 2
    found = inverse_relative(rows.astype("f4"), anchors.astype("f4"), images.astype("f4"))
    centre, image_centre = anchors.mean(axis=0), images.mean(axis=0)
    directions = (rows - centre) @ rotation
    length = np.linalg.norm(images - image_centre, axis=1).mean()
    expected = directions / np.linalg.norm(directions, axis=1, keepdims=True) * length + image_centre
    assert np.allclose(found, expected, atol=1e-3)


def test_inverse_relative_by_hand_in_a_larger_space():
    """Anchors at +-x and +-y; images on axes of different lengths, which cosines do not see."""
    anchors = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], dtype="f4")
    images = np.array([[2, 0, 0], [-2, 0, 0], [0, 4, 0], [0, -4, 0]], dtype="f4")
    found = inverse_relative(np.array([[3, 4]], dtype="f4"), anchors, images)
    assert np.allclose(found, [[0.6 * 3, 0.8 * 3, 0]], atol=1e-5)  # a length of (2 + 2 + 4 + 4) / 4
