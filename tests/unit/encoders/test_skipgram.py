"""Skip-gram vectors of token ids: what is trained on, and that every setting arrives."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np

from xstitch.encoders import skipgram
from xstitch.encoders.skipgram import train_skipgram
from xstitch.training.batches import Ragged

# Sequences framed by the special tokens 2 and 3.
IDS = Ragged.from_lists([[2, 7, 10, 3], [2, 10, 3], [2, 3], [2, 10, 11, 7, 3]])


def test_frames_are_no_text_and_every_setting_arrives(monkeypatch) -> None:
    seen = {}

    def record(corpus_file, hashfxn, **settings):
        seen.update(settings, text=Path(corpus_file).read_text(encoding="ascii"), hash=hashfxn("12"))
        return SimpleNamespace(wv=SimpleNamespace(index_to_key=["10", "7"], vectors=np.eye(2)))

    monkeypatch.setattr(skipgram, "Word2Vec", record)
    rows, vectors = train_skipgram(IDS, width=6, window=4, epochs=3, seed=9)
    assert seen == {
        "text": "7 10\n10\n\n10 11 7\n",
        "vector_size": 6,
        "window": 4,
        "epochs": 3,
        "sg": 1,
        "min_count": 1,
        "workers": 1,
        "seed": 9,
        "hash": 12,
    }
    assert rows.tolist() == [10, 7]
    assert vectors.tolist() == [[1, 0], [0, 1]]


def test_every_token_between_the_frames_has_a_vector_the_most_frequent_first() -> None:
    rows, vectors = train_skipgram(IDS, width=6, window=4, epochs=3, seed=9)
    assert rows.tolist() == [10, 7, 11]
    assert vectors.shape == (3, 6)
    assert np.isfinite(vectors).all()


def test_tokens_with_the_same_neighbours_are_near() -> None:
    random = np.random.default_rng(0)
    groups = np.arange(10, 20), np.arange(20, 30)
    texts = [[2, *random.choice(groups[number % 2], 8).tolist(), 3] for number in range(400)]
    rows, vectors = train_skipgram(Ragged.from_lists(texts), width=8, window=5, epochs=20, seed=1)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    first, second = unit[rows < 20], unit[rows >= 20]
    assert (first @ first.T).mean() > (first @ second.T).mean() + 0.3
