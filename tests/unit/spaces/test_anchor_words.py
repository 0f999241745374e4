"""The choice of shared words, by hand."""

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.anchors.words import choose_words
from xstitch.spaces.settings.search import WordRules
from xstitch.vectors.table import Vectors


def vectors(*words):
    return Vectors(list(words), np.zeros((len(words), 1), dtype="f4"))


FIRST = vectors("the", "house", "x2vec", "ear", "river", "tree", "moss")
SECOND = vectors("moss", "tree", "x2vec", "ear", "house", "the")


def test_shared_words_come_in_the_first_spaces_order():
    assert choose_words(FIRST, SECOND, WordRules(skip=0)) == ["house", "tree", "moss"]
    assert choose_words(SECOND, FIRST, WordRules(skip=0)) == ["moss", "tree", "house"]


def test_the_most_frequent_are_skipped_before_short_ones_are_dropped():
    # Shared: the, house, x2vec, ear, tree, moss; two are skipped, and tree and moss pass the other rules.
    assert choose_words(FIRST, SECOND, WordRules(skip=2)) == ["tree", "moss"]
    assert choose_words(FIRST, SECOND, WordRules(skip=2, size=1)) == ["tree"]


def test_other_rules():
    assert choose_words(FIRST, SECOND, WordRules(skip=0, letters=3, alphabetic=False, size=4)) == [
        "the",
        "house",
        "x2vec",
        "ear",
    ]
    assert choose_words(FIRST, SECOND, WordRules(skip=0, size=None))[-1] == "moss"


def test_letters_of_any_script_count():
    space = vectors("слово", "дом", "wörter")
    assert choose_words(space, space, WordRules(skip=0)) == ["слово", "wörter"]


def test_capital_letters_can_be_left_out_of_cased_vectors():
    space = vectors("The", "the", "House", "houses", "iPhone", "trees")
    assert choose_words(space, space, WordRules(skip=0)) == ["House", "houses", "iPhone", "trees"]
    assert choose_words(space, space, WordRules(skip=0, lowercase=True)) == ["houses", "trees"]
    # Only words that may be taken are counted among the most frequent: "the" and "houses".
    assert choose_words(space, space, WordRules(skip=2, lowercase=True)) == ["trees"]


def test_no_word_left_is_one_clear_line():
    with pytest.raises(InputError, match="share 6 words, but none is left after skip 400"):
        choose_words(FIRST, SECOND, WordRules())


def test_words_of_letters_may_have_marks():
    words = ["हिन्दी", "tiếng", "3.5", "r2d2", "can't", "ẹ̀kọ́"]
    space = Vectors(words, np.eye(len(words), dtype="f4"))
    assert choose_words(space, space, WordRules(skip=0, letters=2, alphabetic=True)) == [
        "हिन्दी",
        "tiếng",
        "ẹ̀kọ́",
    ]
