"""Relative heads: layers by numpy, answers for texts alone and among others, transfer between spaces."""

import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from rotated import rotated_spaces
from tiny import write_encoder
from transformers import AutoModel, AutoTokenizer, BertModel, PreTrainedTokenizerFast

from xstitch.encoders.texts import encode_texts
from xstitch.models.relative_heads import (
    Labelled,
    OverTexts,
    RelativeHead,
    apply_heads,
    predict,
    train_head,
)
from xstitch.models.settings.heads import HeadSettings
from xstitch.spaces.anchors.retrieval import relative_rows
from xstitch.training.schedule import Schedule

SCHEDULE = Schedule(learning_rate=0.01, batch_size=16, epochs=30, seed=1)
ALONE = HeadSettings(layers=1, width=8, activation="tanh", normalisation="none", rectified=False)


def test_a_head_answers_for_each_text_alone():
    torch.manual_seed(0)
    head, rows = RelativeHead(12, 5, ALONE).eval(), torch.rand(40, 12)
    together = head(rows)
    torch.testing.assert_close(torch.cat([head(row[None]) for row in rows]), together)
    # Different texts in the batch and a different order change nothing.
    others = torch.cat([100 + 50 * torch.rand(9, 12), rows.flip(0)])
    torch.testing.assert_close(head(others)[9:].flip(0), together)


def test_a_head_of_relreps_by_numpy():
    # Layer norm per text; twice a linear layer, x * sigmoid(x), and mean 0, variance 1 over texts; then ReLU.
    torch.manual_seed(0)
    head, rows = RelativeHead(4, 3, HeadSettings()), torch.rand(6, 4)

    def normalised(x, axis):
        return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + 1e-5)

    first, second, last = (
        (layer.weight.detach().numpy().T, layer.bias.detach().numpy())
        for layer in head.layers
        if isinstance(layer, torch.nn.Linear)
    )
    x = normalised(rows.numpy().astype(float), 1)
    for weight, bias in (first, second):
        assert weight.shape == (4, 4)  # as wide as there are anchors
        x = x @ weight + bias
        x = normalised(x / (1 + np.exp(-x)), 0)
    expected = np.maximum(x @ last[0] + last[1], 0)
    assert (expected == 0).any()
    np.testing.assert_allclose(head(rows).detach(), expected, atol=1e-5)


def test_normalising_over_texts_is_torchs_instance_norm_on_transposed_rows():
    rows = torch.randn(7, 3)
    torch.testing.assert_close(OverTexts()(rows), torch.nn.InstanceNorm1d(3)(rows.T).T)
    assert not OverTexts()(rows[:1]).any()  # a text alone is its own mean


def test_a_head_ignores_the_mean_and_spread_of_the_cosines():
    torch.manual_seed(0)
    head, rows = RelativeHead(12, 5, ALONE).eval(), torch.rand(6, 12)
    torch.testing.assert_close(head(3 * rows + 10), head(rows), atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("settings", [replace(ALONE, width=32), HeadSettings()], ids=["alone", "relreps"])
def test_a_head_trained_on_one_space_works_on_the_other(settings):
    spaces = rotated_spaces(words=400, width=12, target_width=15, anchors=60)
    anchors = spaces.source[spaces.anchors], spaces.true_anchors
    left, right = relative_rows(spaces.source, anchors[0]), relative_rows(spaces.target, anchors[1])
    labels = (spaces.source[:, -1] > np.median(spaces.source[:, -1])).astype(int)
    there = labels[spaces.sources]
    train = {"x": Labelled(left[:300], labels[:300]), "y": Labelled(right[:300], there[:300])}
    predictions = apply_heads(train, {"x": left[300:], "y": right[300:]}, 2, settings, SCHEDULE)
    assert set(predictions) == {("x", "x"), ("x", "y"), ("y", "x"), ("y", "y")}
    truth = {"x": labels[300:], "y": there[300:]}
    for (_, encoder), predicted in predictions.items():
        assert np.mean(predicted == truth[encoder]) > 0.75


def test_the_seed_determines_the_weights():
    torch.manual_seed(0)
    rows, labels = torch.rand(50, 6), np.arange(50) % 3
    heads = [
        train_head(Labelled(rows, labels), 3, ALONE, Schedule(0.01, epochs=1, seed=seed))
        for seed in (1, 1, 2)
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


def test_a_text_is_the_mean_of_its_states_or_the_first(texts, tmp_path):
    encoder = write_encoder(tmp_path / "encoder", texts)
    table = write_texts(tmp_path / "all.parquet", texts)
    mean, first = (encode_texts(table, encoder, 16, 7, pooling).matrix for pooling in ("mean", "first"))
    model, tokenizer = AutoModel.from_pretrained(encoder), AutoTokenizer.from_pretrained(encoder)
    for number, text in enumerate(texts):
        ids = tokenizer(text, truncation=True, max_length=16, return_tensors="pt")["input_ids"]
        states = model(ids).last_hidden_state[0].detach().numpy()
        np.testing.assert_allclose(first[number], states[0], atol=1e-5)
        np.testing.assert_allclose(mean[number], states.mean(axis=0), atol=1e-5)


def test_a_split_without_texts_has_no_vectors(texts, tmp_path):
    encoder = write_encoder(tmp_path / "encoder", texts)
    table = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())})
    pq.write_table(table, tmp_path / "none.parquet")
    whole = encode_texts(write_texts(tmp_path / "all.parquet", texts), encoder, 16)
    none = encode_texts(tmp_path / "none.parquet", encoder, 16)
    assert (none.words, none.matrix.shape) == ([], (0, whole.matrix.shape[1]))


def test_a_text_gets_the_same_label_alone_as_among_others(texts, tmp_path):
    encoder = write_encoder(tmp_path / "encoder", texts)
    whole = encode_texts(write_texts(tmp_path / "all.parquet", texts), encoder, 16, batch_size=7)
    alone = [encode_texts(write_texts(tmp_path / "one.parquet", [text]), encoder, 16) for text in texts]
    assert whole.words == [one.words[0] for one in alone]
    np.testing.assert_allclose(whole.matrix, np.concatenate([one.matrix for one in alone]), atol=1e-5)
    torch.manual_seed(0)
    head, anchors = RelativeHead(6, 5, replace(ALONE, width=32)), whole.matrix[:6]
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
