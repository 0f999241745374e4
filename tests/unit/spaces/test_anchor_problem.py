"""Two spaces and a few seeds: what is known about their anchors, distinct words, both directions."""

from dataclasses import replace

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.anchors.problem import (
    UNKNOWN,
    SeededSpaces,
    Unpaired,
    among_unpaired,
    distinct_words,
    draw_anchors,
    pair_spaces,
)
from xstitch.vectors.table import Vectors


def test_distinct_words_by_hand():
    # Both anchors like word 2 best; the sum is largest if the first gets it (9 + 7 against 5 + 8).
    scores = np.array([[0, 5, 9, 99], [0, 7, 8, 99]], dtype="f4")
    assert distinct_words(scores, np.array([3])).tolist() == [3, 2, 1]


def test_drawn_anchors_are_distinct_and_seeded():
    rows = draw_anchors(50, 50, 3)
    assert sorted(rows) == list(range(50))
    assert (
        draw_anchors(50, 9, 3).tolist() == draw_anchors(50, 9, 3).tolist() != draw_anchors(50, 9, 4).tolist()
    )
    with pytest.raises(InputError, match="60 anchors cannot be drawn from 50 words"):
        draw_anchors(50, 60, 0)


def test_paired_spaces_keep_each_sides_order_of_frequency():
    source = Vectors(["a", "b", "c", "d"], np.arange(4.0)[:, None])
    target = Vectors(["d", "x", "b", "a"], 10 * np.arange(4.0)[:, None])
    spaces = pair_spaces(source, target, ["b", "a", "d"], anchors=2, seeds=1, seed=0)
    assert spaces.source.ravel().tolist() == [0, 1, 3]  # a b d
    assert spaces.target.ravel().tolist() == [0, 20, 30]  # d b a
    assert spaces.partners.tolist() == [2, 1, 0]
    assert spaces.seeds.tolist() == [spaces.partners[spaces.anchors[0]]]
    assert spaces.true_anchors.ravel().tolist() == [[30, 20, 0][row] for row in spaces.anchors]
    assert spaces.seed_anchors.tolist() == spaces.true_anchors[:1].tolist()


def test_an_exchanged_pair_has_the_words_and_anchors_of_the_pair():
    # The target has the words in another order: drawing anchors anew from it would give other words.
    source = Vectors(list("abcdef"), np.arange(6.0)[:, None])
    target = Vectors(list("fedcba"), 10 * np.arange(6.0)[:, None])
    sizes = {"anchors": 3, "seeds": 2, "seed": 0}
    there = pair_spaces(source, target, list("abcdef"), **sizes)
    back = pair_spaces(source, target, list("abcdef"), **sizes, exchanged=True)
    letters = ["abcdef"[row] for row in there.anchors]
    assert ["fedcba"[row] for row in back.anchors] == letters
    assert ["abcdef"[row] for row in back.seeds] == letters[:2]
    assert back.target.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    assert ["fedcba"[row] for row in pair_spaces(target, source, list("abcdef"), **sizes).anchors] != letters


def test_exchanged_spaces_by_hand():
    source, target = np.eye(3, dtype="f4"), np.eye(4, dtype="f4")
    spaces = SeededSpaces(source, target, np.array([2, 0]), np.array([1]), np.array([3, UNKNOWN, 1]))
    back = spaces.exchanged()
    assert (back.source is target, back.target is source) == (True, True)
    assert (back.anchors.tolist(), back.seeds.tolist()) == ([1, 3], [2])
    assert back.partners.tolist() == [UNKNOWN, 2, UNKNOWN, 0]
    assert back.sources.tolist() == spaces.partners.tolist()


def test_a_search_among_unpaired_texts_keeps_only_the_seeds_of_the_pairs():
    ten, hundred = np.arange(1.0, 11)[:, None], 100 * np.arange(1.0, 11)[:, None]
    parallel = SeededSpaces(ten, hundred, np.array([7, 2, 5, 1]), np.array([3, 8]), np.arange(10))
    own = Unpaired(np.arange(1000.0, 1020)[:, None], np.arange(5000.0, 5030)[:, None], size=12)
    spaces = among_unpaired(parallel, own, seed=0)
    # The seeds: rows 7 and 2 of the source, 3 and 8 of the target; then 12 texts of each side's own.
    assert spaces.source[:2].ravel().tolist() == [8, 3]
    assert spaces.target[:2].ravel().tolist() == [400, 900]
    for rows, first, last in ((spaces.source[2:], 1000, 1019), (spaces.target[2:], 5000, 5029)):
        assert len(set(rows.ravel())) == len(rows) == 12
        assert first <= rows.min() <= rows.max() <= last
        assert rows.ravel().tolist() != sorted(rows.ravel())
    assert (spaces.anchors.tolist(), spaces.seeds.tolist()) == ([0, 1, 2, 3], [0, 1])
    assert spaces.partners is None
    again, other = (among_unpaired(parallel, own, seed).source for seed in (0, 1))
    assert np.array_equal(again, spaces.source)
    assert not np.array_equal(other, spaces.source)
    assert len(among_unpaired(parallel, replace(own, size=99), 0).source) == 22


@pytest.mark.parametrize(
    ("anchors", "seeds", "message"),
    [([], [], "at least one"), ([0], [0, 1], "at most as many"), ([0, 0], [1], "anchors: a word")],
)
def test_wrong_numbers_of_seeds_and_repeated_anchors_are_refused(anchors, seeds, message):
    rows = np.eye(3, dtype="f4")
    with pytest.raises(InputError, match=message):
        SeededSpaces(rows, rows, np.array(anchors, dtype=int), np.array(seeds, dtype=int))


def test_repeated_seeds_small_spaces_and_nan_are_refused():
    rows = np.eye(3, dtype="f4")
    with pytest.raises(InputError, match="seeds: a word"):
        SeededSpaces(rows, rows, np.array([0, 1]), np.array([2, 2]))
    with pytest.raises(InputError, match="3 anchors in a space of 2 words"):
        SeededSpaces(rows, rows[:2], np.arange(3), np.array([0]))
    with pytest.raises(InputError, match="not finite"):
        SeededSpaces(rows * np.nan, rows, np.array([0]), np.array([0]))
