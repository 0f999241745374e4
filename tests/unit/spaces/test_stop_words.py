"""Stop words from a package, by frequency, or as they are given."""

import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.anchors.stop_words import stop_words

FREQUENT = ["the", "of", "dog", "cat"]


def test_the_package_knows_function_words_and_no_others():
    words = stop_words("package", "en", FREQUENT)
    assert {"the", "of", "and", "not", "is", "they", "because"} <= words
    # Longer lists hold words that carry sentiment, which reviews cannot do without.
    assert not words & {"", "dog", "good", "great", "best", "computer"}
    assert "nicht" in stop_words("package", "de", FREQUENT)


def test_a_language_without_a_list_is_one_clear_line():
    with pytest.raises(InputError, match=r"anchors: stop_words: the package has no list of 'qaa'"):
        stop_words("package", "qaa", FREQUENT)


def test_a_number_takes_the_most_frequent_words():
    assert stop_words(2, "qaa", iter(FREQUENT)) == {"the", "of"}
    assert stop_words(0, "qaa", iter(FREQUENT)) == frozenset()


def test_words_are_taken_as_they_are():
    assert stop_words(["dog"], "qaa", FREQUENT) == {"dog"}
    assert stop_words([], "qaa", FREQUENT) == frozenset()
