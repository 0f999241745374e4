"""Alignments by name: what is aligned, what is left alone, and which pairs decide that."""

import numpy as np
import pyarrow as pa
import pytest

from xstitch.spaces.alignment import align_pair
from xstitch.vectors.table import Vectors, unit_rows

COUNT, WIDTH = 200, 12


@pytest.fixture
def spaces():
    """A space and its rotation: word i of one is word i of the other."""
    random = np.random.default_rng(0)
    source = random.normal(size=(COUNT, WIDTH)).astype("f4")
    rotation, _ = np.linalg.qr(random.normal(size=(WIDTH, WIDTH)))
    words = [f"s{i}" for i in range(COUNT)], [f"t{i}" for i in range(COUNT)]
    return Vectors(words[0], source), Vectors(words[1], (source @ rotation).astype("f4"))


def dictionary(pairs):
    return pa.table({"source": [f"s{i}" for i, _ in pairs], "target": [f"t{j}" for _, j in pairs]})


def accuracy(alignment):
    nearest = (unit_rows(alignment.source) @ unit_rows(alignment.target).T).argmax(axis=1)
    return (nearest == np.arange(COUNT)).mean()


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
