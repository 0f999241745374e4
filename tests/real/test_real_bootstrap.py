"""Bootstrapped anchors on real word vectors: GloVe, and GloVe turned, disturbed, of fewer dimensions."""

import numpy as np
import pytest

from xstitch.alternation import AlternationSettings, alternate_anchors
from xstitch.bootstrapping import SeededSpaces, pair_spaces
from xstitch.relative_retrieval import evaluate_anchors
from xstitch.shared_words import WordRules, choose_words
from xstitch.vecmap import normalise
from xstitch.vector_files import read_vectors
from xstitch.vectors import Vectors, unit_rows

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def spaces(data):
    glove = read_vectors(data / "vectors/en.glove.100d.vec.gz", limit=3000)
    random = np.random.default_rng(0)
    turned = unit_rows(glove.matrix) @ np.linalg.qr(random.normal(size=(100, 100)))[0][:, :80]
    disturbed = turned + 0.05 * random.normal(size=turned.shape)
    order = random.permutation(len(glove.words))
    other = Vectors([glove.words[row] for row in order], disturbed[order].astype("f4"))
    words = choose_words(glove, other, WordRules(size=1000))
    pair = pair_spaces(glove, other, words, anchors=300, seeds=15, seed=0)
    return SeededSpaces(*map(normalise, (pair.source, pair.target)), pair.anchors, pair.seeds, pair.partners)


def test_15_seeds_find_what_300_anchors_would(spaces):
    found = alternate_anchors(spaces, AlternationSettings(restarts=1))
    seeds, truth, ours = (
        evaluate_anchors(spaces, anchors)[0].mrr
        for anchors in (spaces.seed_anchors, spaces.true_anchors, found.vectors)
    )
    assert seeds < 0.7 < 0.95 < truth - 0.01 < ours
    assert np.mean(found.rows == spaces.partners[spaces.anchors]) > 0.95
