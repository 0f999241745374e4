"""Sentence retrieval: vectors against the whole model, cosines by hand, English queries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import write_encoder
from transformers import BertModel

from xstitch.core.errors import InputError
from xstitch.encoders.folders import load_tokenizer
from xstitch.encoders.sentence_retrieval import SentenceEncoder, nearest_sentences, retrieval_accuracy
from xstitch.sources.tasks.tatoeba import Translation

TEXTS = ["the ball is red", "a hat", "the cup and the box are not here today", "red red red", "who is here"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"), TEXTS)


def test_vectors_are_means_of_the_wanted_layer_specials_included(folder: Path) -> None:
    model, tokenizer = BertModel.from_pretrained(folder).eval(), load_tokenizer(folder)
    expected = []
    for text in TEXTS:
        ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=6)["input_ids"]
        with torch.no_grad():
            expected.append(model(ids, output_hidden_states=True).hidden_states[2][0].mean(dim=0).numpy())
    vectors = SentenceEncoder.load(folder, layer=2, max_length=6).vectors(TEXTS, batch_size=2)
    np.testing.assert_allclose(vectors, np.stack(expected), atol=1e-5)


def test_cosines_decide_not_lengths() -> None:
    queries = np.array([[1.0, 0.0], [1.0, 1.0]])
    sentences = np.array([[9.0, 8.0], [0.1, 0.0], [-5.0, 0.0]])
    assert nearest_sentences(queries, sentences).tolist() == [1, 0]


def test_english_sentences_are_the_queries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # All English queries are nearest to the first sentence: one of two is right. The other way round none
    # would be: the first sentence is nearest to the second query.
    vectors = {"e1": [1.0, 0.1], "e2": [1.0, 0.0], "s1": [1.0, 0.0], "s2": [-1.0, 0.5]}
    encoder = SentenceEncoder.load(folder, layer=1, max_length=8)
    monkeypatch.setattr(
        SentenceEncoder, "vectors", lambda _, texts, __: np.array([vectors[t] for t in texts])
    )
    assert retrieval_accuracy(encoder, [Translation("s1", "e1"), Translation("s2", "e2")]) == 50


def test_a_sentence_finds_itself(folder: Path) -> None:
    encoder = SentenceEncoder.load(folder, layer=3, max_length=32)
    assert retrieval_accuracy(encoder, [Translation(text, text) for text in TEXTS]) == 100
    with pytest.raises(InputError, match="no pairs"):
        retrieval_accuracy(encoder, [])
