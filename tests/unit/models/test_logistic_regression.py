"""Logistic regression on mean vectors."""

import numpy as np

from xstitch.models.logistic_regression import logistic_regression, mean_vectors, regression_across
from xstitch.vectors.table import Vectors

VECTORS = Vectors(["good", "bad", "day"], np.array([[1, 0], [-1, 0], [0, 1]], dtype="f4"))


def test_means_fold_case_and_leave_unknown_words_out():
    means = mean_vectors(["Good day!", "xyz", "bad bad day"], VECTORS)
    np.testing.assert_allclose(means, [[0.5, 0.5], [0, 0], [-2 / 3, 1 / 3]])


def test_cased_vectors_keep_case():
    cased = Vectors(["Good", "bad"], np.eye(2, dtype="f4"))
    np.testing.assert_allclose(mean_vectors(["Good good"], cased), [[1, 0]])


def test_words_with_marks_are_found_however_they_are_written():
    words = Vectors(["हिन्दी", "tiếng"], np.eye(2, dtype="f4"))
    texts = ["हिन्दी।", "ti\u0065\u0302\u0301ng?"]
    np.testing.assert_allclose(mean_vectors(texts, words), np.eye(2))


def test_a_separable_problem_is_learned():
    texts = ["good day", "good", "bad day", "bad"] * 5
    labels = ["plus", "plus", "minus", "minus"] * 5
    assert logistic_regression(VECTORS, texts, labels, ["a good one", "so bad"]) == ["plus", "minus"]


def test_the_scale_of_the_vectors_does_not_matter():
    small = Vectors(VECTORS.words, VECTORS.matrix * np.float32(1e-4))
    texts = ["good day", "good", "bad day", "bad"] * 5
    labels = ["plus", "plus", "minus", "minus"] * 5
    assert logistic_regression(small, texts, labels, ["a good one", "so bad"]) == ["plus", "minus"]


def test_another_language_is_classified_in_the_same_space():
    texts, labels = ["good day", "good", "bad day", "bad"] * 5, ["plus", "plus", "minus", "minus"] * 5
    other = Vectors(["gut", "schlecht"], np.array([[0.9, 0.1], [-1, 0.2]], dtype="f4"))
    assert regression_across(VECTORS, texts, labels, other, ["gut!", "schlecht"]) == ["plus", "minus"]


def test_texts_of_one_label_have_one_answer():
    assert logistic_regression(VECTORS, ["good", "day"], ["plus", "plus"], ["bad", "xyz"]) == ["plus", "plus"]


def test_each_side_can_be_standardised_by_its_own_texts():
    """The other language's means lie far to the right: to the source's eyes, all of them are good."""
    texts, labels = ["good day", "good", "bad day", "bad"] * 5, ["plus", "plus", "minus", "minus"] * 5
    far = Vectors(["gut", "schlecht"], np.array([[9, 0.1], [8, 0.2]], dtype="f4"))
    test = ["gut!", "schlecht"]
    assert regression_across(VECTORS, texts, labels, far, test) == ["plus", "plus"]
    assert regression_across(VECTORS, texts, labels, far, test, ["gut", "schlecht"] * 4) == ["plus", "minus"]


def test_own_texts_give_the_mean_and_the_spread_of_the_test_features():
    """By hand: one feature, own texts of mean 10 and spread 2; the test text's 11 is half a spread above."""
    vectors = Vectors(["a", "b"], np.array([[1], [-1]], dtype="f4"))
    texts, labels = ["a a a b", "a", "b b b a", "b"] * 5, ["plus", "plus", "minus", "minus"] * 5
    other = Vectors(["x", "y", "z", "v"], np.array([[8], [12], [11], [9]], dtype="f4"))
    found = regression_across(vectors, texts, labels, other, ["z", "v"], ["x", "y"])
    assert found == ["plus", "minus"]
    assert regression_across(vectors, texts, labels, other, ["z", "v"], ["x"] * 9 + ["z"]) == ["plus", "plus"]
