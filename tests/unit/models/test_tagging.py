"""Tagging: labels on first subwords, words that the model does not see, a toy problem memorised."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tiny import write_trainable

from xstitch.core.errors import InputError
from xstitch.encoders.folders import load_tokenizer, save_model
from xstitch.models import tagging
from xstitch.models.tagging import (
    IGNORED,
    _collator,
    finetune_tagger,
    first_subwords,
    load_tagger,
    piece_ends,
    predict_tags,
    split_long,
    tagging_loss,
    tokenise_words,
)
from xstitch.results.tag_metrics import tagging_scores
from xstitch.sources.tasks.rows import Sentence
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.history import History
from xstitch.training.schedule import Schedule

LABELS = ["O", "B-PER", "I-PER", "B-LOC"]
SCHEDULE = Schedule(learning_rate=1e-2, batch_size=8, epochs=12, seed=1)


def sentences(number: int, seed: int) -> list[Sentence]:
    """Make sentences with names and places, whose tags also depend on the previous word."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(number):
        pairs = []
        for _ in range(random.integers(1, 4)):
            kind = random.integers(3)
            filler = (str(random.choice(["the", "goes", "to", "and"])), "O")
            if kind == 0:
                pairs += [filler, ("rome", "B-LOC")]
            elif kind == 1:
                pairs += [filler, ("anna", "B-PER"), (str(random.choice(["rome", "berg"])), "I-PER")]
            else:
                pairs += [filler, ("berg", "B-LOC")]
        rows.append(Sentence(*zip(*pairs, strict=True)))
    return rows


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [" ".join(sentence.words) for sentence in sentences(50, 0)]
    return write_trainable(tmp_path_factory.mktemp("encoder"), texts)


@pytest.fixture(scope="module")
def tagger(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("models") / "tagger"
    checkpoint = Checkpoint(output.parent / "checkpoint", "x", steps=10)
    finetune_tagger(encoder, sentences(80, 1), sentences(30, 2), LABELS, SCHEDULE, 20, output, checkpoint)
    assert not checkpoint.folder.exists()
    return output


def test_the_weights_of_the_lowest_dev_loss_can_be_kept(encoder: Path, tmp_path: Path) -> None:
    schedule = Schedule(learning_rate=3e-2, batch_size=8, epochs=4, seed=1, keep="lowest-loss")
    dev = sentences(70, 2)
    history = finetune_tagger(encoder, sentences(40, 1), dev, LABELS, schedule, 20, tmp_path / "model")
    model, tokenizer = load_tagger(tmp_path / "model").eval(), load_tokenizer(tmp_path / "model")
    losses = []
    for sentence in dev:  # one by one, without batches
        encoded = tokenizer(list(sentence.words), is_split_into_words=True, return_tensors="pt")
        scores = model(**encoded).logits[0].log_softmax(dim=1).detach().numpy()
        words = encoded.word_ids()
        losses += [
            -scores[words.index(number), LABELS.index(tag)] for number, tag in enumerate(sentence.tags)
        ]
    assert history.best.metric == min(record.metric for record in history.records)
    assert history.best.metric == pytest.approx(np.mean(losses), rel=1e-4)


def test_without_development_sentences_the_last_weights_are_kept(encoder: Path, tmp_path: Path) -> None:
    schedule = Schedule(learning_rate=3e-2, batch_size=8, epochs=2, seed=1)
    for name, dev, keep in [("none", None, "best"), ("last", sentences(9, 2), "last")]:
        arguments = sentences(40, 1), dev, LABELS, replace(schedule, keep=keep), 20, tmp_path / name
        assert finetune_tagger(encoder, *arguments).best is None
    none, last = (load_file(tmp_path / name / "model.safetensors") for name in ("none", "last"))
    assert all(none[name].equal(last[name]) for name in last)


def test_a_word_is_marked_at_its_first_subword() -> None:
    assert first_subwords([None, 0, 0, 1, 3, 3, 3, None]).tolist() == [-1, 0, -1, 1, 3, -1, -1, -1]
    assert first_subwords([None, None]).tolist() == [-1, -1]


def test_labels_are_at_first_subwords_and_nowhere_else(encoder: Path) -> None:
    tokenizer = load_tokenizer(encoder)
    words = [["anna", "romeanna", "to"], ["rome"]]
    tokenised = tokenise_words(tokenizer, words, 20)
    pieces = [[tokenizer.tokenize(word) for word in sentence] for sentence in words]
    assert len(pieces[0][1]) > 1  # otherwise this would test nothing
    expected = [IGNORED, 1, 2, *[IGNORED] * (len(pieces[0][1]) - 1), 0, IGNORED]
    batch = _collator(tokenised, np.array([1, 2, 0, 3]))(np.arange(2))
    assert batch["labels"].tolist() == [expected, [IGNORED, 3] + [IGNORED] * (len(expected) - 2)]
    flat = [tokenizer.cls_token, *chain(*pieces[0]), tokenizer.sep_token]
    assert tokenizer.convert_ids_to_tokens(batch["input_ids"][0].tolist()) == flat
    assert batch["attention_mask"].sum(dim=1).tolist() == [len(flat), 3]


def test_words_that_vanish_or_exceed_the_length_are_counted(encoder: Path) -> None:
    tokenizer = load_tokenizer(encoder)
    # Room for three subwords: the first sentence loses its last two words, the second none.
    words = [["the", "\u200d\x00", "to", "and", "rome", ""], ["", "rome"], []]
    tokenised = tokenise_words(tokenizer, words, 5)
    assert tokenised.first.values[tokenised.first.values >= 0].tolist() == [0, 2, 3, 7]
    assert (tokenised.vanished, tokenised.cut) == (2, 2)
    assert tokenised.split(list("abcdefgh")) == [list("abcdef"), list("gh"), []]
    assert tokenizer.backend_tokenizer.truncation is None


def test_pieces_are_filled_from_the_left() -> None:
    assert piece_ends([1, 2, 1, 3, 9, 1, 0], 4) == [3, 4, 5, 7]
    assert piece_ends([9], 4) == [1]
    assert piece_ends([2, 2], 4) == [2]
    assert piece_ends([], 4) == []


def test_long_sentences_are_split_without_losing_a_word(encoder: Path) -> None:
    tokenizer = load_tokenizer(encoder)
    whole = [Sentence(("the", "rome", "", "and", "berg", "to"), ("O", "B-LOC", "O", "O", "B-LOC", "O"))]
    pieces = split_long(tokenizer, whole, 5)  # three subwords and two special tokens
    assert pieces == [
        (("the", "rome", "", "and"), ("O", "B-LOC", "O", "O")),
        (("berg", "to"), ("B-LOC", "O")),
    ]
    tokenised = tokenise_words(tokenizer, [piece.words for piece in pieces], 5)
    assert (tokenised.vanished, tokenised.cut) == (1, 0)
    assert split_long(tokenizer, whole, 32) == whole


def test_the_loss_is_the_mean_over_first_subwords() -> None:
    logits = torch.zeros(1, 3, 4)
    logits[0, 1, 2] = 3.0
    labels = torch.tensor([[IGNORED, 2, 0]])
    by_hand = (np.log(3 + np.exp(3)) - 3 + np.log(4)) / 2
    assert tagging_loss(logits, labels).item() == pytest.approx(by_hand)
    assert tagging_loss(logits, torch.full((1, 3), IGNORED)).item() == 0


def test_a_toy_problem_is_memorised(tagger: Path) -> None:
    training = sentences(80, 1)
    predictions = predict_tags(tagger, [sentence.words for sentence in training], 20)
    assert tagging_scores([sentence.tags for sentence in training], predictions.tags).f1 > 90
    assert predictions.vanished == 0


def test_saved_weights_are_those_of_the_best_dev_score(tagger: Path) -> None:
    history = json.loads((tagger / "xstitch.json").read_text())["history"]
    dev = sentences(30, 2)
    tags = predict_tags(tagger, [sentence.words for sentence in dev], 20).tags
    assert len(history["records"]) == 12
    assert history["best"]["metric"] == pytest.approx(max(record["metric"] for record in history["records"]))
    assert history["best"]["metric"] == pytest.approx(tagging_scores([s.tags for s in dev], tags).f1)


def test_order_and_batch_size_change_nothing(tagger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # In double precision, so that rounding, which depends on the batch size, cannot change a tag.
    monkeypatch.setattr(tagging, "load_tagger", lambda folder: load_tagger(folder).double())
    words = [sentence.words for sentence in sentences(40, 3)]
    results = [predict_tags(tagger, words, 20, size).tags for size in (1, 7, 64)]
    assert results[0] == results[1] == results[2]
    assert predict_tags(tagger, words[::-1], 20).tags == results[0][::-1]


def test_words_without_a_prediction_are_outside(
    encoder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "xstitch")
    model = load_tagger(encoder, LABELS)  # made to tag every word as a place
    torch.nn.init.zeros_(model.classifier.weight)
    model.classifier.bias.data = torch.tensor([0.0, 0.0, 0.0, 1.0])
    save_model(tmp_path / "model", model, load_tokenizer(encoder), History())
    predictions = predict_tags(tmp_path / "model", [["to", "rome", "", "to", "rome"], ["rome"]], max_length=5)
    # The last word of the first sentence is beyond the length, but still tagged.
    assert predictions.tags == [["B-LOC", "B-LOC", "O", "B-LOC", "B-LOC"], ["B-LOC"]]
    assert predictions.vanished == 1
    assert "of 6 words, 1 have no subword and 0 are beyond max_length" in caplog.text


def test_folder_runs_in_a_transformers_pipeline(tagger: Path) -> None:
    from transformers import pipeline

    words = [sentence.words for sentence in sentences(10, 1)]
    expected = [[tag for tag in tags if tag != "O"] for tags in predict_tags(tagger, words, 20).tags]
    answers = pipeline("token-classification", model=str(tagger))([" ".join(row) for row in words])
    assert [[entry["entity"] for entry in answer] for answer in answers] == expected
    assert {tag for tags in expected for tag in tags} == set(LABELS[1:])


def test_bad_data_is_refused(encoder: Path, tmp_path: Path) -> None:
    good, bad = [Sentence(("a",), ("O",))], [Sentence(("a",), ("B-ORG",))]
    for training, dev, message in (
        (bad, good, "training data: label 'B-ORG' is not one of O, B-PER"),
        (good, bad, "development data: label 'B-ORG'"),
        ([], good, "training data: no examples"),
        (
            [Sentence(("a", "b"), ("O",))],
            good,
            "training data: sentence 1 does not have one tag per word",
        ),
    ):
        with pytest.raises(InputError, match=message):
            finetune_tagger(encoder, training, dev, LABELS, SCHEDULE, 20, tmp_path / "out")
    with pytest.raises(InputError, match="max_length is 33, but the encoder takes 32 tokens at most"):
        finetune_tagger(encoder, good, good, LABELS, SCHEDULE, 33, tmp_path / "out")
    assert not (tmp_path / "out").exists()
