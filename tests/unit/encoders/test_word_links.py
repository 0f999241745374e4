"""Word alignment: the textbook case, fast_align's own values, intersection, blocks, a known dictionary."""

import math
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
    without = AlignerSettings(iterations=10, tension=0.0, adapted=False)
    for links in align_words(german, english, without):
        assert links.tolist() == [[0, 0], [1, 1]]


def test_co_occurrence_outweighs_the_diagonal():
    german = split("haus das", "buch das", "buch ein") * 5
    english = split("the house", "the book", "a book") * 5
    little = AlignerSettings(iterations=10, tension=0.1, adapted=False)
    for links in align_words(german, english, little):
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


def direction(source, target, **more):
    sides = [word_links._numbered(split(*sentences)) for sentences in (source, target)]
    return word_links._Direction(*sides, AlignerSettings(**more))


def test_translation_probabilities_by_hand():
    # One word generates two: by position each comes from it with .92 and from none with .08. With a prior of
    # .01 the variational means are e^(digamma(.93) - digamma(1.86)) and e^(digamma(.09) - digamma(.18)).
    def digamma(x, step=1e-5):
        return (math.lgamma(x + step) - math.lgamma(x - step)) / (2 * step)

    one = direction(["a"], ["x y"])
    counts, distance = one._expect()
    np.testing.assert_allclose(counts, [0.08, 0.08, 0.92, 0.92])  # no word, no word, "a", "a"
    # Observed distances: the first word, counted from 0, is 1 away from the origin's end, the second 1/2.
    assert distance == pytest.approx(0.92 * (1 + 0.5) / 2)
    one._maximise(counts)
    expected = [math.exp(digamma(0.09) - digamma(0.18))] * 2 + [math.exp(digamma(0.93) - digamma(1.86))] * 2
    np.testing.assert_allclose(one.chances, expected, rtol=1e-6)


def test_expected_distances_by_hand():
    # Two words and two origins: 0 and 1/2 away, with weights 1 and e^(-tension / 2), for both words.
    sizes = word_links._Sizes(np.array([2]), np.array([2]))
    assert sizes.distance(0.0) == pytest.approx(0.25)
    assert sizes.distance(4.0) == pytest.approx(0.5 * math.exp(-2) / (1 + math.exp(-2)))
    # With a pair of one word each, which is 0 away: the mean over three words.
    both = word_links._Sizes(np.array([2, 1, 2]), np.array([2, 1, 2]))
    assert both.distance(0.0) == pytest.approx((4 * 0.25 + 0) / 5)
    # One word from three origins: 2/3, 1/3 and 0 away.
    assert word_links._Sizes(np.array([1]), np.array([3])).distance(0.0) == pytest.approx(1 / 3)


# Sentences of equal lengths: for others fast_align's expected distances are inexact.
GERMAN = [
    *("das kleine haus steht dort", "das alte buch liegt dort", "ein altes haus", "das kleine buch ist alt"),
    *("ein buch steht im haus", "dort steht das alte haus", "das kind liest ein buch", "ein kleines kind"),
    "das kind ist klein",
]
ENGLISH = [
    *("the small house stands there", "the old book lies there", "an old house", "the small book is old"),
    *(
        "one book stands inside houses",
        "there stands the old house",
        "the child reads a book",
        "a small child",
    ),
    "the child is small",
]
# What fast_align prints (the build in systran-align 3.5.0, options -d -v, without and with -o): before each
# iteration after the first, the log likelihood; after it, the distance and the tension.
WITHOUT = {
    "forth": ([-74.1203, -39.9777, -38.3155, -38.2906], [0.241323, 0.224451, 0.224941, 0.225]),
    "back": ([-76.712, -42.2379, -40.7718, -40.7717], [0.241323, 0.22365, 0.224999, 0.225]),
}
WITH = {
    "forth": ([-74.1203, -55.8214, -54.267, -54.2459], [0.241323, 0.224451, 0.224908, 0.225]),
    "back": ([-76.712, -57.9358, -56.7268, -56.727], [0.241323, 0.22365, 0.224998, 0.225]),
}
TENSIONS = {"forth": [4, 1.77334, 1.76365, 1.76169], "back": [4, 1.79037, 1.76174, 1.76169]}


def likelihood(side):
    chances = (np.bincount(cells.words, cells.shares * side.chances[cells.keys]) for cells in side._cells())
    return sum(np.log(words).sum() for words in chances)


@pytest.mark.parametrize("way", ["forth", "back"])
@pytest.mark.parametrize("adapted", [False, True])
def test_learning_takes_the_steps_of_fast_align(way, adapted, monkeypatch):
    sides = (GERMAN, ENGLISH) if way == "forth" else (ENGLISH, GERMAN)
    learner = direction(*sides, adapted=adapted)
    likelihoods, distances, tensions = [], [], []
    expect, maximise = learner._expect, learner._maximise

    def expecting():
        counts, distance = expect()
        distances.append(distance)
        return counts, distance

    def maximising(counts):
        maximise(counts)
        likelihoods.append(likelihood(learner))
        tensions.append(learner.tension)

    monkeypatch.setattr(learner, "_expect", expecting)
    monkeypatch.setattr(learner, "_maximise", maximising)
    learner.best("test")
    expected = (WITH if adapted else WITHOUT)[way]
    np.testing.assert_allclose(likelihoods, expected[0], rtol=5e-6)
    np.testing.assert_allclose(distances, expected[1], atol=1e-6)
    np.testing.assert_allclose(tensions, TENSIONS[way] if adapted else [4.0] * 4, atol=1e-5)


def test_the_tension_has_bounds():
    learner = direction(["a b c"], ["x y z"])
    assert learner._adapted(1.0) == 0.1
    assert learner._adapted(-1.0) == 14.0


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
