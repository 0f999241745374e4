"""Lexica from a few pairs: the best pairs are seeds, frequent words are anchors, a rotation is found."""

import numpy as np
import pytest
from rotated import rotated_spaces

from xstitch.core.errors import InputError
from xstitch.sources.lexica import SCHEMA, Entry, lexicon_table
from xstitch.spaces.anchors.induced_lexica import (
    frequent_centred,
    lexicon_of,
    seed_pairs,
    seeded_languages,
)
from xstitch.spaces.anchors.judging import judged
from xstitch.spaces.anchors.problem import FoundAnchors
from xstitch.spaces.anchors.search import find_anchors
from xstitch.vectors.table import Vectors

SOURCE = Vectors(["a", "b", "c", "d"], np.eye(4, dtype="f4"))
TARGET = Vectors(["A", "B", "C", "D"], np.eye(4, dtype="f4"))


def lexicon(*rows):
    return lexicon_table([Entry(*row) for row in rows])


def test_frequent_words_are_centred_among_themselves():
    # Unit vectors (1, 0) and (0, 1) have the mean (1/2, 1/2); the third, rare word does not count.
    frequent = frequent_centred(Vectors(["a", "b", "c"], np.array([[2, 0], [0, 3], [7, 7]], "f4")), 2)
    assert frequent.words == ["a", "b"]
    np.testing.assert_allclose(frequent.matrix, np.array([[1, -1], [-1, 1]]) / np.sqrt(2), atol=1e-6)


def test_seeds_are_the_best_pairs_and_the_most_frequent_of_equals():
    table = lexicon(("d", "D", 1), ("a", "B", 1), ("c", "C", 3), ("x", "A", 9), ("b", "A", 1))
    np.testing.assert_array_equal(seed_pairs(table, SOURCE, TARGET, 2), [(2, 2), (0, 1)])
    np.testing.assert_array_equal(seed_pairs(table, SOURCE, TARGET, None), [(2, 2), (0, 1), (1, 0), (3, 3)])


def test_no_word_is_a_seed_twice():
    table = lexicon(("a", "A", 3), ("a", "B", 2), ("b", "A", 1), ("b", "B", 1))
    np.testing.assert_array_equal(seed_pairs(table, SOURCE, TARGET, None), [(0, 0), (1, 1)])


def test_too_few_pairs_are_one_clear_line():
    with pytest.raises(InputError, match="3 seeds are needed, but the lexicon has 1 pairs"):
        seed_pairs(lexicon(("a", "A", 1)), SOURCE, TARGET, 3)


def test_without_seeds_the_lexicon_is_not_read():
    pairs = seed_pairs(None, SOURCE, TARGET, 0)
    assert pairs.shape == (0, 2)
    spaces = seeded_languages(SOURCE, TARGET, pairs, 3)
    assert (spaces.anchors.tolist(), spaces.seeds.tolist()) == ([0, 1, 2], [])


def test_found_pairs_are_judged_without_the_known_ones():
    # The known pair a-A comes first. Of the others, c is unknown to the judge; b-B is right, d-A is wrong.
    found = lexicon(("a", "A", 1), ("b", "B", 0.9), ("c", "C", 0.8), ("d", "A", 0.7), ("e", "F", 0.6))
    judge = lexicon(("a", "X", 1), ("b", "X", 1), ("b", "B", 1), ("d", "D", 1), ("e", "E", 1))
    assert judged(found, 1, judge) == (1 / 3, 3)
    assert judged(found, 0, judge) == (1 / 4, 4)
    with pytest.raises(InputError, match="none of 1 found pairs has a source word"):
        judged(lexicon(("c", "C", 1)), 0, judge)


def test_frequent_words_follow_the_seeds():
    spaces = seeded_languages(SOURCE, TARGET, np.array([(2, 3)]), 3)
    np.testing.assert_array_equal(spaces.anchors, [2, 0, 1])
    np.testing.assert_array_equal(spaces.seeds, [3])
    np.testing.assert_array_equal(seeded_languages(SOURCE, TARGET, np.array([(2, 3)]), 1).anchors, [2])


def test_scores_are_cosines_and_seeds_have_the_highest():
    spaces = seeded_languages(SOURCE, TARGET, np.array([(2, 3)]), 3)
    found = FoundAnchors(
        np.array([[0, 0, 0, 1], [3, 4, 0, 0], [0, 0, 2, 0]], "f4"), np.array([3, 0, 1]), None
    )
    table = lexicon_of(spaces, found, SOURCE, Vectors(TARGET.words, 5 * TARGET.matrix))
    assert table.schema == SCHEMA
    assert table["source"].to_pylist() == ["c", "a", "b"]
    assert table["target"].to_pylist() == ["D", "A", "B"]
    assert table["score"].to_pylist() == pytest.approx([1.0, 0.6, 0.0])


def test_a_rotated_language_is_translated_from_15_pairs():
    spaces = rotated_spaces()
    source = Vectors([f"s{row}" for row in range(300)], spaces.source)
    target = Vectors([f"t{row}" for row in range(300)], spaces.target)
    pairs = np.stack([np.arange(15), spaces.partners[:15]], axis=1)
    languages = seeded_languages(source, target, pairs, 60)
    settings = {"start": {"eps": 0.3, "iterations": 10}, "learning": {"patience": 3}}
    found = find_anchors(languages, {"kind": "alternate", "vocabulary": 300, "restarts": 1, **settings}, 0)
    table = lexicon_of(languages, found, source, target)
    right = [f"t{spaces.partners[int(word[1:])]}" for word in table["source"].to_pylist()]
    assert table["target"].to_pylist() == right
