"""Matches of the transport plan, and pairs that hardly match."""

import pytest
from tiny import write_trainable

from xstitch.encoders.matches import unlikely_pairs, word_matches

WORDS = ["ka", "lo", "mi", "nu", "pe", "ri", "sta", "tro"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return write_trainable(tmp_path_factory.mktemp("encoder"), [" ".join(WORDS)] * 30)


def test_words_match_themselves_in_a_copy(encoder):
    pairs = [("ka", "ka"), ("ka lo mi nu", "ka lo mi nu"), ("pe ri sta tro lo", "pe ri sta tro lo")]
    records = word_matches(encoder, pairs, 1, 16)
    assert [record["word"] for record in records] == ["ka", "lo", "mi", "nu"]
    assert [record["matches"] for record in records] == ["ka", "lo", "mi", "nu"]
    assert {record["example"] for record in records} == {"1"}
    assert records[0]["translation"] == "ka lo mi nu"


def test_words_beyond_the_cut_have_no_match(encoder):
    records = word_matches(encoder, [("ka lo mi nu", "ka lo mi nu")], 1, 4)  # two words and two specials
    assert [record["word"] for record in records] == ["ka", "lo"]


def test_a_pair_of_unlike_sentences_costs_most(encoder):
    same = [(text, text) for text in ("ka lo mi", "nu pe ri sta", "tro ka")]
    records = unlikely_pairs(encoder, [*same, ("ka ka ka", "tro sta pe ri")], 2, 16)
    assert records[0]["sentence"] == "ka ka ka"
    assert float(records[0]["cost"]) > 10 * abs(float(records[1]["cost"]))
