"""Relative heads: they answer the same whatever else is in the batch, and transfer from space to space."""

import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from rotated import rotated_spaces
from tiny import write_encoder
from transformers import BertModel, PreTrainedTokenizerFast

from xstitch.encoders.texts import encode_texts
from xstitch.models.relative_heads import Labelled, RelativeHead, apply_heads, predict, train_head
from xstitch.spaces.anchors.retrieval import relative_rows
from xstitch.training.schedule import Schedule

SCHEDULE = Schedule(learning_rate=0.01, batch_size=16, epochs=30, seed=1)


def test_a_head_answers_for_each_text_alone():
    torch.manual_seed(0)
    head, rows = RelativeHead(12, 8, 5).eval(), torch.rand(40, 12)
    together = head(rows)
    torch.testing.assert_close(torch.cat([head(row[None]) for row in rows]), together)
    # Different texts in the batch and a different order change nothing.
    others = torch.cat([100 + 50 * torch.rand(9, 12), rows.flip(0)])
    torch.testing.assert_close(head(others)[9:].flip(0), together)


def test_a_head_ignores_the_mean_and_spread_of_the_cosines():
    torch.manual_seed(0)
    head, rows = RelativeHead(12, 8, 5).eval(), torch.rand(6, 12)
    torch.testing.assert_close(head(3 * rows + 10), head(rows), atol=1e-3, rtol=1e-3)


def test_a_head_trained_on_one_space_works_on_the_other():
    spaces = rotated_spaces(words=400, width=12, target_width=15, anchors=60)
    anchors = spaces.source[spaces.anchors], spaces.true_anchors
    left, right = relative_rows(spaces.source, anchors[0]), relative_rows(spaces.target, anchors[1])
    labels = (spaces.source[:, -1] > np.median(spaces.source[:, -1])).astype(int)
    there = labels[spaces.sources]
    train = {"x": Labelled(left[:300], labels[:300]), "y": Labelled(right[:300], there[:300])}
    predictions = apply_heads(train, {"x": left[300:], "y": right[300:]}, 2, 32, SCHEDULE)
    assert set(predictions) == {("x", "x"), ("x", "y"), ("y", "x"), ("y", "y")}
    truth = {"x": labels[300:], "y": there[300:]}
    for (_, encoder), predicted in predictions.items():
        assert np.mean(predicted == truth[encoder]) > 0.75


def test_the_seed_determines_the_weights():
    torch.manual_seed(0)
    rows, labels = torch.rand(50, 6), np.arange(50) % 3
    heads = [
        train_head(Labelled(rows, labels), 3, 4, Schedule(0.01, epochs=1, seed=seed)) for seed in (1, 1, 2)
    ]
    weights = [head.layers[1].weight.detach() for head in heads]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.fixture(scope="module")
def texts():
    draw = random.Random(0)
    words = ["".join(draw.choices("abdeik", k=draw.randint(2, 5))) for _ in range(40)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 12))) for _ in range(20)]


def write_texts(path, texts):
    pq.write_table(pa.table({"id": [f"t{len(text)}-{text[:3]}" for text in texts], "text": texts}), path)
    return path


def test_a_text_gets_the_same_label_alone_as_among_others(texts, tmp_path):
    encoder = write_encoder(tmp_path / "encoder", texts)
    whole = encode_texts(write_texts(tmp_path / "all.parquet", texts), encoder, 16, batch_size=7)
    alone = [encode_texts(write_texts(tmp_path / "one.parquet", [text]), encoder, 16) for text in texts]
    assert whole.words == [one.words[0] for one in alone]
    np.testing.assert_allclose(whole.matrix, np.concatenate([one.matrix for one in alone]), atol=1e-5)
    torch.manual_seed(0)
    head, anchors = RelativeHead(6, 32, 5), whole.matrix[:6]
    torch.nn.init.normal_(head.layers[1].weight)  # large weights: otherwise all texts might get one label
    answers = [predict(head, relative_rows(one.matrix, anchors))[0] for one in alone]
    # The label that a text gets alone is also the best among others, or ties with it up to rounding.
    scores = head(relative_rows(whole.matrix, anchors)).detach().numpy()
    for labels in (answers, predict(head, relative_rows(whole.matrix, anchors))):
        np.testing.assert_allclose(scores[np.arange(20), labels], scores.max(axis=1), atol=1e-3)
    assert len(set(answers)) > 1


def test_a_text_is_the_mean_of_the_last_hidden_states(texts, tmp_path):
    encoder = write_encoder(tmp_path / "encoder", texts)
    matrix = encode_texts(write_texts(tmp_path / "texts.parquet", texts), encoder, 16).matrix
    tokenizer, model = PreTrainedTokenizerFast.from_pretrained(encoder), BertModel.from_pretrained(encoder)
    for text, row in zip(texts, matrix, strict=True):
        tokens = tokenizer(text, truncation=True, max_length=16, return_tensors="pt")
        with torch.no_grad():
            output = model.eval()(tokens["input_ids"], output_hidden_states=True)
        last, before = (output.hidden_states[layer][0].mean(dim=0).numpy() for layer in (-1, -2))
        np.testing.assert_allclose(row, last, atol=1e-4)
        assert np.abs(last - before).max() > 0.01
