"""Metrics against hand-computed values and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from xstitch.results.metrics import (
    accuracy,
    classification_scores,
    macro_f1,
    macro_f1_at_prior,
    mean_absolute_error,
    rating_scores,
    weighted_f1,
)


def test_hand_computed_values() -> None:
    gold, predicted = list("aabbc"), list("abbbb")
    assert accuracy(gold, predicted) == pytest.approx(0.6)
    # a: P 1, R 1/2, F 2/3; b: P 2/4, R 1, F 2/3; c: 0
    assert macro_f1(gold, predicted, "abc") == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_macro_f1_agrees_with_sklearn(seed: int, absent: bool) -> None:
    from sklearn.metrics import f1_score

    random = np.random.default_rng(seed)
    gold = random.integers(0, 3 if absent else 6, size=50)  # some classes have no example
    predicted = random.integers(2 if absent else 0, 5, size=50)  # and some are never predicted
    expected = f1_score(gold, predicted, labels=range(6), average="macro", zero_division=0)
    assert macro_f1(gold, predicted, range(6)) == pytest.approx(expected, abs=1e-12)


def test_text_labels_score_the_same_as_numbers() -> None:
    gold, predicted = np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2])
    names = np.array(["x", "y", "z"])
    assert macro_f1(names[gold], names[predicted], names) == macro_f1(gold, predicted, range(3))


def test_unequal_lengths_and_no_examples_are_refused() -> None:
    with pytest.raises(ValueError, match="2 gold labels but 1"):
        accuracy(["a", "b"], ["a"])
    with pytest.raises(ValueError):
        macro_f1([], [], ["a"])


def test_weighted_f1_by_hand() -> None:
    # a: F 2/3, twice; b: F 2/3, twice; c: 0, once
    assert weighted_f1(list("aabbc"), list("abbbb")) == pytest.approx((2 * 2 / 3 + 2 * 2 / 3) / 5)


@pytest.mark.parametrize("seed", range(5))
def test_weighted_f1_agrees_with_sklearn(seed: int) -> None:
    from sklearn.metrics import f1_score

    random = np.random.default_rng(seed)
    gold, predicted = random.choice(6, size=50, p=[0.5, 0.2, 0.1, 0.1, 0.1, 0]), random.integers(6, size=50)
    expected = f1_score(gold, predicted, average="weighted", zero_division=0)
    assert weighted_f1(gold, predicted) == pytest.approx(expected, abs=1e-12)


def test_errors_count_steps_between_ordered_labels() -> None:
    stars = ("1", "2", "3", "4", "5")
    assert mean_absolute_error(["1", "5", "3"], ["4", "5", "2"], stars) == pytest.approx((3 + 0 + 1) / 3)
    assert mean_absolute_error(["bad", "good"], ["good", "good"], ("bad", "fair", "good")) == 1.0


def test_macro_f1_at_a_prior_equals_that_of_repeated_items() -> None:
    """Items are repeated to give each class its share, and scored by scikit-learn."""
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(1)
    counts, times = np.array([12, 5, 13]), np.array([1, 5, 2])
    gold = np.repeat([0, 1, 2], counts)
    predicted = np.where(rng.random(30) < 0.6, gold, rng.integers(3, size=30))
    expected = f1_score(np.repeat(gold, times[gold]), np.repeat(predicted, times[gold]), average="macro")
    prior = counts * times / (counts * times).sum()
    assert macro_f1_at_prior(gold, predicted, prior) == pytest.approx(expected)


def test_scores_of_classes_and_ratings_by_hand() -> None:
    # As above, and a label d that nothing has: macro-F1 is (2/3 + 2/3 + 0 + 0) / 4.
    expected = {"macro_f1": 1 / 3, "accuracy": 0.6}
    assert classification_scores(list("aabbc"), list("abbbb"), list("abcd")) == pytest.approx(expected)
    # In order d c b a the errors are one step (a as b) and one (c as b).
    expected = {"weighted_f1": 8 / 15, "mae": 2 / 5}
    assert rating_scores(list("aabbc"), list("abbbb"), list("dcba")) == pytest.approx(expected)
    assert rating_scores(list("aabbc"), list("abbbb"), list("adbc"))["mae"] == pytest.approx(3 / 5)
