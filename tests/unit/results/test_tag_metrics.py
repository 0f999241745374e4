"""Span scores by hand, and what seqeval makes of parts of speech."""

import warnings

import numpy as np
import pytest

from xstitch.results.tag_metrics import resampled_tagging_scores, tagging_scores


def test_spans_must_agree_in_kind_and_both_ends():
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O"]]
    predicted = [["B-PER", "I-PER", "O", "B-ORG"], ["B-ORG", "I-ORG"]]
    # One of three true spans is found, one of three predicted spans is right; four of six tokens are.
    assert tagging_scores(gold, predicted) == pytest.approx((100 / 3, 100 / 3, 100 / 3, 400 / 6))


def test_precision_and_recall_are_not_swapped_and_are_pooled_over_sentences():
    gold = [["B-PER", "O", "O"], ["B-PER", "B-PER"]]
    predicted = [["B-PER", "O", "O"], ["O", "O"]]
    assert tagging_scores(gold, predicted) == pytest.approx((100, 100 / 3, 50, 60))


def test_a_stray_inside_tag_begins_a_span_as_in_conlleval():
    assert tagging_scores([["O", "B-LOC", "I-LOC"]], [["O", "I-LOC", "I-LOC"]]).f1 == 100
    assert tagging_scores([["B-LOC", "I-LOC"]], [["B-LOC", "B-LOC"]]).f1 == 0


def test_sentences_do_not_run_into_each_other():
    assert tagging_scores([["B-LOC"], ["I-LOC"]], [["B-LOC"], ["B-LOC"]]).f1 == 100


def test_parts_of_speech_are_spans_of_equal_neighbours():
    # Gold: DET, NOUN NOUN, VERB; predicted: DET, NOUN, VERB VERB. Only DET agrees: 1 of 3 and 1 of 3.
    scores = tagging_scores([["DET", "NOUN", "NOUN", "VERB"]], [["DET", "NOUN", "VERB", "VERB"]])
    assert scores == pytest.approx((100 / 3, 100 / 3, 100 / 3, 75))


def test_no_span_at_all_scores_zero_without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tagging_scores([("O", "O")], [("O", "O")]) == (0, 0, 0, 100)


def test_words_without_a_part_of_speech_count_as_wrong():
    assert tagging_scores([["NOUN", "VERB"]], [["NOUN", "O"]]) == pytest.approx((100, 50, 200 / 3, 50))


def test_sentences_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="lengths of sentences"):
        tagging_scores([["O", "O"]], [["O"]])


def test_resamples_of_sentences_are_scored_as_seqeval_scores_the_repeated_sentences():
    rng = np.random.default_rng(1)
    names = ["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    gold = [list(rng.choice(names, length)) for length in rng.integers(1, 9, 20)]
    predicted = [[tag if rng.random() < 0.7 else "O" for tag in tags] for tags in gold]
    weights = np.vstack([np.ones(20), rng.multinomial(20, [1 / 20] * 20, 3)])
    resampled = resampled_tagging_scores(gold, predicted, weights)
    for draw, counts in enumerate(weights.astype(int)):
        sides = (
            [tags for tags, times in zip(side, counts, strict=True) for _ in range(times)]
            for side in (gold, predicted)
        )
        expected = np.divide(tagging_scores(*sides), 100)
        assert [scores[draw] for scores in resampled] == pytest.approx(list(expected))


def test_a_resample_without_spans_scores_zero_and_parts_of_speech_cause_no_warnings():
    gold, predicted = [["NOUN", "VERB"], ["O"]], [["NOUN", "O"], ["O"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = resampled_tagging_scores(gold, predicted, np.array([[1.0, 1.0], [0.0, 2.0]]))
    assert scores.precision == pytest.approx([1, 0])
    assert scores.recall == pytest.approx([1 / 2, 0])
    assert scores.f1 == pytest.approx([2 / 3, 0])
    assert scores.accuracy == pytest.approx([2 / 3, 1])
