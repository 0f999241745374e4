"""Signals without labels and the choice by them, on answers made by hand."""

from pathlib import Path

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.models import signals
from xstitch.models.classification import Predictions
from xstitch.models.signals import (
    Signals,
    Texts,
    agreements,
    choose,
    coverage,
    information,
    measure_candidates,
)

SURE_A, SURE_B, RATHER_A = [0.9, 0.1], [0.1, 0.9], [0.6, 0.4]


def measured(agreement, dictionary, information, confidence=0.5):
    return Signals(agreement, dictionary, 0.5, confidence, information)


def test_a_candidate_agrees_with_the_mean_of_the_others_alone():
    # Text 1: the third is outvoted by two. Text 2: the first says a, the others together .9 + .4 for b.
    first, second, third = ([SURE_A, RATHER_A], [SURE_A, SURE_B], [SURE_B, RATHER_A])
    found = agreements([np.array(part) for part in (first, second, third)])
    # first: others (.5, .5) on text 1, the first label wins, so a: right; (.35, .65) on text 2, so b: wrong
    # second: others (.5, .5), a: right; (.6, .4), a: wrong. third: (.9, .1), a: wrong; (.35, .65), b: wrong
    assert found == [0.5, 0.5, 0.0]


def test_one_candidate_has_nothing_to_agree_with():
    with pytest.raises(InputError, match="two candidates"):
        agreements([np.array([SURE_A])])


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([[1.0, 0.0], [0.0, 1.0]], 1.0),  # certain and balanced
        ([[1.0, 0.0], [1.0, 0.0]], 0.0),  # always the same
        ([[0.5, 0.5], [0.5, 0.5]], 0.0),  # never sure
        # The mean has entropy log 2; each answer has H(.9, .1) = .468996 bits.
        ([SURE_A, SURE_B], 1 - 0.468996),
    ],
)
def test_information_is_what_answers_tell_of_a_text(answers, expected):
    assert information(np.array(answers)) == pytest.approx(expected, abs=1e-6)


class Tokenizer:
    """Words by length; words of three letters are unknown."""

    unk_token_id = 3

    def __call__(self, text, add_special_tokens):
        assert not add_special_tokens
        return {"input_ids": [len(word) for word in text.split()]}


def test_coverage_counts_tokens_that_are_known():
    assert coverage(Tokenizer(), ["a bb", "ccc dd ccc a"]) == pytest.approx(4 / 6)
    assert coverage(Tokenizer(), ["", " "]) == 0.0


def test_the_most_information_is_chosen_whatever_the_other_signals():
    found = {
        "one": measured(0.9, 0.9, information=0.3),
        "two": measured(0.2, 0.1, information=0.4),
        "three": measured(0.5, 0.5, confidence=1.0, information=0.2),
    }
    assert choose(found) == "two"


def test_of_equal_candidates_the_first_of_the_list_is_chosen():
    found = {"b": measured(0.2, 0.4, information=0.3), "a": measured(0.4, 0.2, information=0.3 + 1e-9)}
    assert choose(found) == "b"


def test_candidates_are_measured_on_own_texts_and_on_translated_ones(monkeypatch):
    answers = {"m/x": {"own": SURE_A, "told": SURE_B}, "m/y": {"own": SURE_A, "told": SURE_A}}

    def predict(folder, texts, max_length):
        assert max_length == 9
        rows = np.array([answers[str(folder)][text] for text in texts])
        return Predictions([["a", "b"][row.argmax()] for row in rows], rows)

    monkeypatch.setattr(signals, "predict_labels", predict)
    monkeypatch.setattr(signals, "load_tokenizer", lambda _: Tokenizer())
    texts = Texts(["own"], ["told", "told"], ["b", "a"])
    found = measure_candidates({"x": Path("m/x"), "y": Path("m/y")}, texts, ["a", "b"], 9)
    # One label right of two: F1 is 2/3 for the answered label and 0 for the other.
    assert found["x"].dictionary == found["y"].dictionary == pytest.approx(1 / 3)
    assert (found["x"].agreement, found["x"].confidence, found["x"].coverage) == (1.0, 0.9, 0.0)


@pytest.mark.parametrize("texts", [Texts([], ["a"], ["x"]), Texts(["a"], [], [])])
def test_without_texts_nothing_is_chosen(texts):
    with pytest.raises(InputError, match="needs texts of the target"):
        measure_candidates({"x": Path("x"), "y": Path("y")}, texts, ["x"], 9)
