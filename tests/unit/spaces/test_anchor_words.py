"""The choice of shared words, by hand."""

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.anchors.words import choose_words, load_shared
from xstitch.spaces.settings.search import WordRules
from xstitch.vectors.table import Vectors

FIRST = ["the", "house", "x2vec", "ear", "river", "tree", "moss"]
SECOND = ["moss", "tree", "x2vec", "ear", "house", "the"]


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
    space = ["слово", "дом", "wörter"]
    assert choose_words(space, space, WordRules(skip=0)) == ["слово", "wörter"]


def test_capital_letters_can_be_left_out_of_cased_vectors():
    space = ["The", "the", "House", "houses", "iPhone", "trees"]
    assert choose_words(space, space, WordRules(skip=0)) == ["House", "houses", "iPhone", "trees"]
    assert choose_words(space, space, WordRules(skip=0, lowercase=True)) == ["houses", "trees"]
    # Only words that may be taken are counted among the most frequent: "the" and "houses".
    assert choose_words(space, space, WordRules(skip=2, lowercase=True)) == ["trees"]


def test_no_word_left_is_one_clear_line():
    with pytest.raises(InputError, match="share 6 words, but none is left after skip 400"):
        choose_words(FIRST, SECOND, WordRules())


def test_words_of_letters_may_have_marks():
    space = ["हिन्दी", "tiếng", "3.5", "r2d2", "can't", "ẹ̀kọ́"]
    assert choose_words(space, space, WordRules(skip=0, letters=2, alphabetic=True)) == [
        "हिन्दी",
        "tiếng",
        "ẹ̀kọ́",
    ]


def save(folder, name, words, matrix):
    Vectors(words, np.array(matrix, "f4")).save(folder / name)
    return folder / name


def test_only_the_vectors_of_chosen_words_are_read(tmp_path):
    first = [
        save(tmp_path, "a.npz", ["tree", "of", "house"], [[1, 2], [3, 4], [5, 6]]),
        save(tmp_path, "b.npz", ["moss"], [[7, 8]]),
    ]
    second = [save(tmp_path, "c.npz", ["moss", "lake", "tree", "house"], [[1], [2], [3], [4]])]
    words, source, target = load_shared(first, second, WordRules(skip=0, size=2))
    assert words == ["tree", "house"]
    assert (source.words, source.matrix.tolist()) == (["tree", "house"], [[1, 2], [5, 6]])
    assert (target.words, target.matrix.tolist()) == (["tree", "house"], [[3], [4]])
    words, source, target = load_shared(first, second, WordRules(skip=0))
    assert (source.words, source.matrix[-1].tolist()) == (["tree", "house", "moss"], [7, 8])
    assert target.words == ["moss", "tree", "house"]  # each side in its own order
