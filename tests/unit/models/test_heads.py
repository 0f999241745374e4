"""Heads: rows in; answers as text and scores as fractions out."""

import numpy as np
import pyarrow as pa
import pytest
from tiny import write_encoder

from xstitch.encoders.folders import load_tokenizer
from xstitch.encoders.inputs import run_model
from xstitch.models import classification
from xstitch.models.classification import predict_labels
from xstitch.models.heads import labels as labels_head
from xstitch.models.heads.registry import HEADS, head_module, load_head
from xstitch.sources.tasks.readers import READERS
from xstitch.sources.tasks.rows import (
    SCHEMAS,
    Example,
    Sentence,
    sentence_rows,
    sentences_of,
    with_unique_ids,
)
from xstitch.sources.tasks.squad import Answer, Question, question_rows, questions_of
from xstitch.training.schedule import Schedule

ROWS = {
    "texts": {"id": ["1", "2"], "label": ["a", "b"], "text": ["x", "y"]},
    "questions": {
        "id": ["1", "2"],
        "question": ["who", "where"],
        "context": ["anna in rome", "otto in bonn"],
        "answers": [["anna", "an anna"], ["bonn"]],
        "starts": [[0, 0], [8]],
    },
    "sentences": {
        "id": ["1", "2"],
        "words": [["anna", "berg"], ["to", "rome"]],
        "tags": [["B-PER", "I-PER"], ["O", "B-LOC"]],
    },
}


def rows(kind):
    return pa.table(ROWS[kind], schema=SCHEMAS[kind])


def test_every_reader_has_a_schema_and_all_but_retrieval_have_a_head():
    assert set(READERS.values()) == set(SCHEMAS)
    assert set(SCHEMAS) - set(HEADS) == {"translations"}
    with pytest.raises(ValueError, match="no model is fine-tuned on 'translations'"):
        head_module("translations")


@pytest.mark.parametrize(
    ("kind", "predicted", "scores"),
    [
        # F1 of a: 2/3, of b: 0.
        ("texts", ["a", "a"], {"macro_f1": 1 / 3, "accuracy": 1 / 2}),
        # "in bonn" shares one of two words with "bonn": F1 2/3.
        ("questions", ["anna", "in bonn"], {"exact_match": 1 / 2, "f1": (1 + 2 / 3) / 2}),
        # One of two true spans is found, one of two predicted ones is right; three of four words are.
        (
            "sentences",
            ["B-PER O", "O B-LOC"],
            {"precision": 1 / 2, "recall": 1 / 2, "f1": 1 / 2, "accuracy": 3 / 4},
        ),
    ],
)
def test_scores_are_fractions(kind, predicted, scores):
    head = load_head(kind)
    assert head.scores(rows(kind), predicted, {"labels": ["a", "b"]}) == pytest.approx(scores)
    perfect = head.scores(rows(kind), head.truth(rows(kind)), {"labels": ["a", "b"]})
    assert set(perfect.values()) == {1.0}


def test_rows_turn_back_into_questions_and_sentences():
    questions = [Question("q", "who", "anna", (Answer(0, "anna"), Answer(1, "nna")))]
    table = pa.Table.from_pylist([row._asdict() for row in question_rows(questions)], SCHEMAS["questions"])
    assert questions_of(table) == questions
    sentences = [Sentence(("a", "b"), ("O", "B-PER"))]
    table = pa.Table.from_pylist([row._asdict() for row in sentence_rows(sentences)], SCHEMAS["sentences"])
    assert sentences_of(table) == sentences
    assert table["id"].to_pylist() == ["1"]


def test_repeated_ids_are_made_unique():
    examples = [Example(name, "a", text) for name, text in [("x", "1"), ("y", "2"), ("x", "3"), ("x", "4")]]
    assert [row.id for row in with_unique_ids(examples)] == ["x", "y", "x#2", "x#3"]


def pairs(number, seed):
    """Make pairs labelled by whether their words are the same, so that both texts are needed."""
    random = np.random.default_rng(seed)
    words = np.array(["dog", "cat"])
    first, second = random.integers(2, size=(2, number))
    return pa.table(
        {
            "id": [str(n) for n in range(number)],
            "label": np.where(first == second, "same", "other").tolist(),
            "text": [f"the {words[n]} runs" for n in first],
            "second": [f"a {words[n]}" for n in second],
        },
        schema=SCHEMAS["pairs"],
    )


def test_both_texts_of_a_pair_reach_the_model_and_count(tmp_path, monkeypatch):
    encoder = write_encoder(tmp_path / "encoder", pairs(100, 0)["text"].to_pylist() + ["a dog a cat"] * 50)
    tokenizer, seen = load_tokenizer(encoder), []

    def watched(model, batch):
        masks = batch["attention_mask"].bool()
        seen.extend(row[mask].tolist() for row, mask in zip(batch["input_ids"], masks, strict=True))
        return run_model(model, batch)

    def joined(rows):
        return tokenizer(rows["text"].to_pylist(), rows["second"].to_pylist())["input_ids"]

    monkeypatch.setattr(classification, "run_model", watched)
    settings = {"labels": ["same", "other"], "max_length": 20}
    training, dev, test = pairs(12, 1), pairs(5, 2), pairs(7, 3)
    schedule = Schedule(learning_rate=1e-3, epochs=1, batch_size=4, seed=1)
    labels_head.finetune(encoder, training, dev, settings, schedule, tmp_path / "model")
    assert sorted(seen) == sorted(joined(training) + joined(dev))
    seen.clear()
    assert len(labels_head.predict(tmp_path / "model", test, settings)) == 7
    assert sorted(seen) == sorted(joined(test))
    # A different second text, a different first text, and the same pair again.
    texts, second = ["the dog runs", "the dog runs", "the cat runs", "the dog runs"], ["a dog", "a cat"]
    probabilities = predict_labels(tmp_path / "model", texts, 20, [*second, "a dog", "a dog"]).probabilities
    gaps = np.abs(probabilities - probabilities[0]).max(axis=1)
    assert gaps[3] < 1e-6 < 1e-4 < gaps[1:3].min()
