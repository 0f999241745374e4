"""Texts in the words of another language, by hand-made lexica."""

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.lexica import Entry, lexicon_table
from xstitch.sources.word_by_word import best_translations, word_by_word

LEXICON = lexicon_table(
    [Entry("dog", "rare", 9), Entry("dog", "Hund", 1), Entry("cat", "katze", 1), Entry("run", "nowhere", 1)]
)


def test_a_word_gets_its_most_frequent_translation_whatever_the_scores():
    assert best_translations(LEXICON, ["Hund", "katze", "rare"], fold=False) == {
        "dog": "Hund",
        "cat": "katze",
    }


def test_translations_are_lower_cased_if_the_vectors_are():
    assert best_translations(LEXICON, ["hund", "rare"], fold=True) == {"dog": "hund"}
    assert best_translations(LEXICON, ["hund", "rare"], fold=False) == {"dog": "rare"}


def test_of_words_that_are_listed_twice_the_first_place_counts():
    lexicon = lexicon_table([Entry("a", "x", 1), Entry("a", "y", 1)])
    assert best_translations(lexicon, ["y", "x", "y"], fold=False) == {"a": "y"}


def test_words_are_looked_up_as_written_then_in_lower_case_and_left_out_otherwise():
    words = {"dog": "hund", "Dog": "rüde", "cat": "katze"}
    assert word_by_word("Dog, CAT and dog!", words) == "rüde katze hund"
    assert word_by_word("nothing known", words) == ""


def test_a_lexicon_without_any_word_of_the_vectors_is_refused():
    with pytest.raises(InputError, match="none of 4 lexicon pairs has a target word with a vector"):
        best_translations(LEXICON, ["pes"], fold=False)
