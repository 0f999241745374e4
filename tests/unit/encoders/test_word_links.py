"""Word alignment: the textbook case, shares near the diagonal, intersection, blocks, a known dictionary."""

import random

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.encoders import word_links
from xstitch.encoders.word_links import AlignerSettings, align_words, intersection


def split(*sentences):
    return [sentence.split() for sentence in sentences]


def test_words_that_occur_together_are_linked():
    # "das" occurs with "the" twice and with "house" and "book" once each; the diagonal does not count.
    german = split("das haus", "das buch", "ein buch")
    english = split("the house", "the book", "a book")
    for links in align_words(german, english, AlignerSettings(iterations=10, tension=0.0)):
        assert links.tolist() == [[0, 0], [1, 1]]


def test_co_occurrence_outweighs_the_diagonal():
    german = split("haus das", "buch das", "buch ein") * 5
    english = split("the house", "the book", "a book") * 5
    for links in align_words(german, english, AlignerSettings(iterations=10, tension=0.1)):
        assert sorted(links.tolist()) == [[0, 1], [1, 0]]


def test_shares_of_positions_by_hand():
    # Two origins, two words, tension 4: the first word is 0 and 1/2 away, so e^0 and e^-2 share 0.92.
    direction = word_links._Direction(
        word_links._numbered(split("a b")), word_links._numbered(split("x y")), AlignerSettings()
    )
    cells = next(direction._cells())
    near = 0.92 / (1 + np.exp(-2))
    expected = [0.08, near, 0.92 - near, 0.08, 0.92 - near, near]
    np.testing.assert_allclose(cells.shares, expected)
    assert cells.origins.tolist() == [-1, 0, 1, -1, 0, 1]
    assert cells.words.tolist() == [0, 0, 0, 1, 1, 1]


def test_only_mutual_links_are_kept():
    # Target words 0, 1, 2 come from source 1, 1, none; source words 0, 1 come from target 2, 1.
    links = intersection(np.array([1, 1, -1]), np.array([2, 1]))
    assert links.tolist() == [[1, 1]]


@pytest.mark.parametrize("block", [2000, 7])
def test_a_known_dictionary_is_found(monkeypatch, block):
    monkeypatch.setattr(word_links, "BLOCK", block)
    draw = random.Random(0)
    source, target, gold = [], [], []
    for _ in range(300):
        words = draw.choices(range(40), k=draw.randint(2, 8))
        order = sorted(range(len(words)), key=lambda position: position + draw.uniform(0, 2))
        source.append([f"s{word}" for word in words])
        target.append([f"t{words[position]}" for position in order])
        gold.append({(from_source, in_target) for in_target, from_source in enumerate(order)})
    links = align_words(source, target, AlignerSettings())
    hits = sum(len(g & set(map(tuple, f.tolist()))) for f, g in zip(links, gold, strict=True))
    assert hits / sum(map(len, links)) > 0.95
    assert hits / sum(map(len, gold)) > 0.9


def test_sentences_without_words_or_partners_are_refused():
    with pytest.raises(InputError, match="2 sentences and 1 translations"):
        align_words(split("a", "b"), split("c"), AlignerSettings())
    with pytest.raises(InputError, match="a sentence has no words"):
        align_words([["a"], []], [["b"], ["c"]], AlignerSettings())
