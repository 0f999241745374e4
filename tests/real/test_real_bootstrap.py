"""Bootstrapped anchors on real word vectors: GloVe with itself, turned and disturbed, and with word2vec."""

import re

import numpy as np
import pytest
from rotated import across

from xstitch.spaces.anchors.alternate import alternate_anchors
from xstitch.spaces.anchors.problem import SeededSpaces, pair_spaces
from xstitch.spaces.anchors.words import choose_words
from xstitch.spaces.settings.search import AlternationSettings, WordRules
from xstitch.spaces.vecmap import normalise
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.table import Vectors, unit_rows
from xstitch.vectors.word2vec import train_word2vec

pytestmark = pytest.mark.real
TEXTS = (
    "text/news.2014.en.shuffled",
    "parallel/multi30k/train.lc.norm.tok.en",
    "parallel/opennmt_en-de/src-train.txt",
    "xnli/multinli.train.en.tsv",
)
SKIPGRAM = {
    "dimensions": 50,
    "epochs": 5,
    "min_count": 10,
    "learning_rate": 0.025,
    "window": 5,
    "negatives": 5,
}


@pytest.fixture(scope="module")
def spaces(data):
    glove = read_vectors(data / "vectors/en.glove.100d.vec.gz", limit=3000)
    random = np.random.default_rng(0)
    turned = unit_rows(glove.matrix) @ np.linalg.qr(random.normal(size=(100, 100)))[0][:, :80]
    disturbed = turned + 0.05 * random.normal(size=turned.shape)
    order = random.permutation(len(glove.words))
    other = Vectors([glove.words[row] for row in order], disturbed[order].astype("f4"))
    words = choose_words(glove.words, other.words, WordRules(size=1000))
    return centred_pair(glove, other, words)


def centred_pair(first, second, words):
    pair = pair_spaces(first, second, words, anchors=300, seeds=15, seed=0)
    return SeededSpaces(*map(normalise, (pair.source, pair.target)), pair.anchors, pair.seeds, pair.partners)


def test_15_seeds_find_what_300_anchors_would(spaces):
    found = alternate_anchors(spaces, AlternationSettings(restarts=1))
    seeds, truth, ours = (
        across(spaces, anchors)[0].mrr
        for anchors in (spaces.seed_anchors, spaces.true_anchors, found.vectors)
    )
    assert seeds < 0.7 < 0.95 < truth - 0.01 < ours
    assert np.mean(found.rows == spaces.partners[spaces.anchors]) > 0.95


def test_two_trainings_on_other_texts_are_joined_by_15_seeds(data):
    lines = [line for text in TEXTS for line in (data / text).read_text(encoding="utf-8").splitlines()]
    skipgram = train_word2vec((" ".join(re.findall("[a-z]+", line.lower())) for line in lines), SKIPGRAM, 1)
    glove = read_vectors(data / "vectors/en.glove.100d.vec.gz", limit=20_000)
    pair = centred_pair(
        glove, skipgram, choose_words(skipgram.words, glove.words, WordRules(skip=100, size=1000))
    )
    found = alternate_anchors(pair, AlternationSettings(restarts=1))
    seeds, truth, ours = (
        np.mean([scores.mrr for scores in across(pair, anchors)])
        for anchors in (pair.seed_anchors, pair.true_anchors, found.vectors)
    )
    assert ours > truth - 0.05
    assert ours > seeds + 0.2
