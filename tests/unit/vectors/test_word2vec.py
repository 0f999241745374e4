"""word2vec vectors: ordered by frequency, the same in every run, one line for a corpus of rare words."""

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.vectors.word2vec import train_word2vec

SETTINGS = {
    "dimensions": 8,
    "epochs": 5,
    "window": 2,
    "negatives": 2,
    "learning_rate": 0.05,
    "min_count": 2,
}
TEXT = ["The cat sees the dog", "the dog sees a cat", "the bird"] * 5


def test_words_are_lower_cased_and_ordered_by_frequency():
    vectors = train_word2vec([*TEXT, "once"], SETTINGS, seed=1)
    assert vectors.words[0] == "the"
    assert set(vectors.words) == {"the", "cat", "sees", "dog", "a", "bird"}
    assert vectors.matrix.shape == (6, 8)


def test_the_seed_determines_the_vectors():
    one, same, other = (train_word2vec(TEXT, SETTINGS, seed).matrix for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("text", [[], ["every word once only"]])
def test_a_corpus_of_rare_words_is_refused_in_one_line(text):
    with pytest.raises(InputError, match="no word of the corpus occurs 2 times: lower min_count"):
        train_word2vec(text, SETTINGS, seed=1)
