"""Alignments by name: what is aligned, what is left alone, and which pairs decide that."""

import numpy as np
import pyarrow as pa
import pytest

from xstitch.spaces.alignment import _precision, align_pair, unaligned
from xstitch.vectors.table import Vectors, unit_rows

COUNT, WIDTH = 200, 12
ORDER = np.random.default_rng(3).permutation(COUNT)  # of the target words


@pytest.fixture
def spaces():
    """A space and its rotation, in another order: word s7 of one is word t7 of the other."""
    random = np.random.default_rng(0)
    source = random.normal(size=(COUNT, WIDTH)).astype("f4")
    rotation, _ = np.linalg.qr(random.normal(size=(WIDTH, WIDTH)))
    words = [f"s{i}" for i in range(COUNT)], [f"t{i}" for i in ORDER]
    return Vectors(words[0], source), Vectors(words[1], (source @ rotation)[ORDER].astype("f4"))


def dictionary(pairs):
    return pa.table({"source": [f"s{i}" for i, _ in pairs], "target": [f"t{j}" for _, j in pairs]})


def accuracy(alignment):
    nearest = (unit_rows(alignment.source) @ unit_rows(alignment.target).T).argmax(axis=1)
    return (ORDER[nearest] == np.arange(COUNT)).mean()


def test_none_leaves_both_spaces_alone(spaces):
    alignment = align_pair(*spaces, None, {"method": "none"}, 1)
    np.testing.assert_array_equal(alignment.source, spaces[0].matrix)
    assert len(alignment.dictionary) == 0


@pytest.mark.parametrize("method", ["orthogonal", "supervised", "rcsls"])
def test_a_dictionary_aligns_a_rotated_space(spaces, method):
    assert accuracy(align_pair(*spaces, None, {"method": "none"}, 1)) < 0.1
    alignment = align_pair(*spaces, dictionary([(i, i) for i in range(100)]), {"method": method}, 1)
    assert accuracy(alignment) > 0.95


def test_every_iteration_logs_its_accuracy_on_a_validation_dictionary(spaces, caplog):
    settings = {"method": "semi-supervised", "max_iterations": 2}
    seeds, held_out = (dictionary([(i, i) for i in range(*ends)]) for ends in ((0, 50), (100, 150)))
    with caplog.at_level("INFO", logger="xstitch"):
        alignment = align_pair(*spaces, seeds, settings, 1, held_out)
    assert [step.accuracy for step in alignment.history] == [100, 100]
    assert caplog.text.count("accuracy 100.00 %") == 2


def test_selection_aligns_where_held_out_pairs_gain(spaces):
    pairs = dictionary([(i, i) for i in range(150)])
    alignment = align_pair(*spaces, pairs, {"method": "supervised", "select": True}, 1)
    assert accuracy(alignment) > 0.95


def test_selection_keeps_spaces_that_a_wrong_dictionary_would_harm(spaces):
    # The spaces agree already; nine of ten pairs of the dictionary are wrong.
    source, _ = spaces
    target = Vectors([f"t{i}" for i in range(COUNT)], source.matrix)
    random = np.random.default_rng(1)
    pairs = dictionary([(i, i if i % 10 == 0 else int(random.integers(COUNT))) for i in range(COUNT)])
    alignment = align_pair(source, target, pairs, {"method": "supervised", "select": True}, 1)
    np.testing.assert_array_equal(alignment.target, source.matrix)


def test_selection_keeps_spaces_whose_dictionary_is_noise(spaces):
    """A random dictionary retrieves nothing before or after: a tie must not count as a gain."""
    pairs = dictionary([(i, int(j)) for i, j in enumerate(np.random.default_rng(2).permutation(COUNT))])
    alignment = align_pair(*spaces, pairs, {"method": "supervised", "select": True}, 1)
    np.testing.assert_array_equal(alignment.target, spaces[1].matrix)


@pytest.mark.parametrize(
    ("gains", "aligned"),
    [
        ([2, -4, 2, -4, 2], True),  # mean -0.4, standard error sqrt(10.8 / 5) = 1.47
        ([0.58, -1.42, 0.58, -1.42, -0.42], True),  # mean -0.42, standard error sqrt(1 / 5) = 0.447
        ([0, -2, 0, -2, -1], False),  # mean -1, the same standard error
    ],
)
def test_a_loss_within_one_standard_error_is_no_harm(spaces, monkeypatch, gains, aligned):
    scores = iter([score for gain in gains for score in (60 + gain, 60)])
    monkeypatch.setattr("xstitch.spaces.alignment._precision", lambda *_: next(scores))
    pairs = dictionary([(i, i) for i in range(150)])
    chosen = align_pair(*spaces, pairs, {"method": "supervised", "select": True}, 1)
    assert np.array_equal(chosen.target, spaces[1].matrix) != aligned
    assert (accuracy(chosen) > 0.95) == aligned


def test_precision_averages_over_ten_neighbours():
    # As in test_bli: with one neighbour `hub` would win, with ten, here all four, `right` does.
    degrees = {
        "source": {"query": 0, "twin": 20, "one": -30, "two": -31},
        "target": {"hub": -20.5, "right": 20},
    }
    sides = []
    for words in degrees.values():
        radians = np.radians(list(words.values()))
        sides.append(Vectors(list(words), np.stack([np.cos(radians), np.sin(radians)], axis=1).astype("f4")))
    test = pa.table({"source": ["query"], "target": ["right"]})
    assert _precision(*sides, unaligned(*sides), test) == 100


@pytest.mark.parametrize(
    ("keys", "length"), [({}, 0.5**0.5), ({"reweight": 1.0}, 0.5), ({"reweight": 0.0}, 1)]
)
def test_reweight_reaches_the_map(keys, length):
    # Four pairs along each of two axes; along the second one pair is opposite: a correlation of 0.5.
    one, two = np.repeat(np.eye(2, dtype="f4"), 4, axis=0).reshape(2, 4, 2)
    source = np.vstack([one, -one, two, -two])
    target = source.copy()
    target[[8, 12]] *= -1
    sides = [Vectors([f"{p}{i}" for i in range(16)], side) for p, side in (("s", source), ("t", target))]
    pairs = dictionary([(i, i) for i in range(16)])
    mapped = align_pair(*sides, pairs, {"method": "supervised", **keys}, 1)
    np.testing.assert_allclose(np.abs(mapped.source), np.abs(source) * [1, length], atol=1e-6)
