"""SQuAD's scores by hand."""

import pytest

from xstitch.results.answer_metrics import answer_scores, normalise, word_f1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Cat's (an) hat!", "cats hat"),
        ("Theatre another", "theatre another"),
        ("24-hour", "24hour"),
        ("„Köln“", "„köln“"),  # only ASCII punctuation is removed
        ("a", ""),
        ("北京，中国", "北京，中国"),
    ],
)
def test_texts_are_normalised_by_english_rules(text, expected):
    assert normalise(text) == expected


def test_repeated_words_count_as_often_as_both_have_them():
    # Shared: new, york (once). Precision 2/3, recall 2/2.
    assert word_f1("New York", "York New York") == pytest.approx(2 * (2 / 3) / (5 / 3))
    assert word_f1("the cat", "a cat") == 1
    assert word_f1("the", "the") == 0  # no word is left to share, though the match is exact


def test_the_best_true_answer_counts_and_scores_are_means_in_percent():
    gold = [["one", "One thing"], ["two words"], ["three"], ["four"], ["five"]]
    scores = answer_scores(gold, ["one thing!", "two", "", "Four", "six"])
    assert scores.exact_match == pytest.approx(100 * 2 / 5)
    assert scores.f1 == pytest.approx(100 * (1 + 2 / 3 + 0 + 1 + 0) / 5)


@pytest.mark.parametrize(("gold", "predicted"), [([["a"]], []), ([], []), ([[]], ["a"])])
def test_questions_without_answers_are_refused(gold, predicted):
    with pytest.raises(ValueError, match="predictions"):
        answer_scores(gold, predicted)
