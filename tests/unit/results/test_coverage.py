"""Coverage of a language, counted by hand, and warnings if it is too small."""

import pytest

from xstitch.encoders.wordpiece import SPECIAL
from xstitch.models.stitching import word_tokenizer
from xstitch.results.coverage import FREQUENT, Coverage, Tokens, count_tokens, coverage_records

ROLES = {f"{role}_token": token for role, token in SPECIAL.items()}
ENOUGH = Coverage(5000, 100, 1500, Tokens(20, 4, 2, 2), "test texts")


def counted(words, *texts, lexicon=()):
    return count_tokens(texts, word_tokenizer(words, ROLES), SPECIAL["unk"], lexicon)


def test_words_without_vectors_and_unknown_words_are_counted_by_token():
    # Known: sun x3, moon. sunmoon = sun + moon: split. xyz twice: unknown. Punctuation does not count.
    tokens = counted(["sun", "moon", ","], "Sun, sun! sunmoon", "SUN xyz -- moon xyz.")
    assert tokens == Tokens(count=7, missing=3, unknown=2, listed=0)


def test_words_of_the_text_are_looked_up_in_the_lexicon_and_not_the_other_way_round():
    # Sun x3 and xyz x2 of seven words are listed; that stars and planets are in no text does not matter.
    lexicon = {"sun", "xyz", "stars", "planets"}
    tokens = counted(["sun", "moon", ","], "Sun, sun! sunmoon", "SUN xyz -- moon xyz.", lexicon=lexicon)
    assert tokens.listed == 5


def test_case_matters_if_the_vectors_have_capitals():
    assert counted(["Sun", "Moon"], "sun Sun") == Tokens(2, 1, 1, 0)


def test_text_is_split_as_corpora_are():
    # won't has no vector; of its parts, won has one, but ' and t have none.
    assert counted(["don't", "won"], "Don't won't", lexicon={"don't"}) == Tokens(2, 1, 1, 1)


def test_no_text_has_no_tokens():
    assert counted(["a"]) == Tokens(0, 0, 0, 0)


def test_sufficient_coverage_gives_no_warning():
    records = coverage_records(ENOUGH)
    assert [record["value"] for record in records] == ["5000", "100", "1500", "20", "0.200", "0.100", "0.100"]
    assert not any(record["warning"] for record in records)


@pytest.mark.parametrize(
    ("change", "measure", "warning"),
    [
        ({"words": 4999}, "words with vectors", "Only 4,999 words have vectors"),
        (
            {"tokens": Tokens(100, 0, 0, 9)},
            "share of these in the lexicon",
            "Only 9% of the words of the test texts are in the lexicon. Do both use the same script",
        ),
        (
            {"text": FREQUENT, "tokens": Tokens(100, 0, 0, 4)},
            "share of these in the lexicon",
            "Only 4% of the most frequent words with vectors are in the lexicon",
        ),
        ({"anchors": 1499}, "anchors", "Only 1,499 anchors"),
        (
            {"tokens": Tokens(100, 21, 0, 100)},
            "share of these without vectors",
            "21% of the words of the test texts have no vector",
        ),
    ],
)
def test_too_little_coverage_gives_one_warning_in_plain_words(change, measure, warning):
    records = coverage_records(Coverage(**{**vars(ENOUGH), **change}))
    warned = [record for record in records if record["warning"]]
    assert [record["measure"] for record in warned] == [measure]
    assert warned[0]["warning"].startswith(warning)


def test_an_empty_lexicon_or_text_does_not_divide_by_zero():
    records = coverage_records(Coverage(9999, 0, 9999, Tokens(0, 0, 0, 0), "corpus"))
    assert [record["value"] for record in records][4:] == ["0.000"] * 3


def test_without_a_text_frequent_words_are_looked_up_in_the_lexicon():
    records = coverage_records(Coverage(9999, 10**6, 9999, Tokens(5000, 60, 0, 250), FREQUENT))
    assert [tuple(record.values()) for record in records][3:] == [
        ("most frequent words with vectors", "5000", ""),
        ("share of these in the lexicon", "0.050", ""),
    ]
