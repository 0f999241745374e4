"""Translations by a lexicon: which is best, and what happens to words without any."""

import pyarrow as pa

from xstitch.spaces.translations import best_of, translated_text, translations

LEXICON = pa.table(
    {
        "source": ["dog", "hound", "house", "home", "inn", "in"],
        "target": ["Hund", "Hund", "haus", "haus", "in", "in"],
        "score": [1.0, 1.0, 1.0, 2.0, 1.0, 1.0],
    }
)
KNOWN = ["in", "dog", "hound", "house"]  # by frequency; `inn` and `home` are not among them


def test_the_highest_score_wins_then_the_more_frequent_word():
    found = translations(LEXICON, "target", "source", KNOWN)
    assert found == {"Hund": ["dog", "hound"], "haus": ["home", "house"], "in": ["in", "inn"]}
    turned = translations(LEXICON, "target", "source", ["hound", "dog"])
    assert turned["Hund"] == ["hound", "dog"]
    assert turned["in"] == ["inn", "in"]  # neither is known: the lexicon's order


def test_unknown_translations_can_be_left_out():
    found = translations(LEXICON, "target", "source", KNOWN, only_known=True)
    assert found == {"Hund": ["dog", "hound"], "haus": ["house"], "in": ["in"]}


def test_of_pairs_that_a_lexicon_has_twice_the_higher_score_counts():
    twice = pa.table({"source": ["b", "a", "b"], "target": ["x", "x", "x"], "score": [1.0, 2.0, 3.0]})
    assert translations(twice, "target", "source", []) == {"x": ["b", "a"]}


def test_the_other_way_round_words_are_ranked_in_lower_case_too():
    found = translations(LEXICON, "source", "target", ["haus", "hund"], only_known=True)
    assert found == {"dog": ["Hund"], "hound": ["Hund"], "house": ["haus"], "home": ["haus"]}


def test_words_can_be_folded():
    assert set(translations(LEXICON, "target", "source", KNOWN, lower_case=True)) == {"hund", "haus", "in"}


def test_a_text_is_translated_word_by_word():
    best = best_of(translations(LEXICON, "target", "source", KNOWN))
    assert translated_text("In 3.5 Haus, der Hund!", best) == "in 3.5 home, der dog!"


def test_text_is_read_as_lexica_are():
    """An accent after its letter is the letter's."""
    assert translated_text("cafe\u0301.", {"caf\u00e9": "coffee"}) == "coffee."
