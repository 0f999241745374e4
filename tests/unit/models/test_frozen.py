"""Heads on frozen encoders: what they read, what is chosen, and that the folder is an ordinary one."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from tiny import write_encoder
from toy import EVEN, LABELS, LENGTH, texts
from transformers import (
    AutoModel,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    RobertaConfig,
    RobertaModel,
    pipeline,
)

from xstitch.core.errors import InputError
from xstitch.models.classification import predict_labels
from xstitch.models.frozen import Standardised, fit_head
from xstitch.models.settings.frozen import FrozenSettings
from xstitch.models.standardising import head_features, standardise_head

TRAIN, DEV = texts(1, 120, EVEN), texts(2, 40, EVEN)


def write_roberta(folder):
    write_encoder(folder, [*TRAIN["text"], *DEV["text"]])
    tokenizer = AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 16}
    positions = {"max_position_embeddings": 40, "pad_token_id": tokenizer.pad_token_id, "type_vocab_size": 1}
    config = RobertaConfig(vocab_size=len(tokenizer), initializer_range=0.5, **sizes, **positions)
    RobertaModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", params=["bert", "roberta"])
def encoder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "roberta":
        return write_roberta(folder)
    return write_encoder(folder, [*TRAIN["text"], *DEV["text"]])


def by_hand(encoder, some_texts, layer, pooling):
    """Run the encoder on one text at a time, so that there is no padding, and pool with numpy."""
    tokenizer, body = AutoTokenizer.from_pretrained(encoder), AutoModel.from_pretrained(encoder).eval()
    rows = []
    for text in some_texts:
        inputs = tokenizer(text, truncation=True, max_length=LENGTH, return_tensors="pt")
        with torch.no_grad():
            outputs = body(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                output_hidden_states=True,
            )
        states = outputs.hidden_states[layer][0].double().numpy()
        pooled = states.mean(axis=0) if pooling == "mean" else states[0]
        rows.append((pooled - pooled.mean()) / pooled.std())
    return np.array(rows)


@pytest.mark.parametrize(("layer", "pooling"), [(2, "mean"), (3, "mean"), (2, "first")])
def test_the_folder_answers_as_logistic_regression_on_pooled_states(encoder, layer, pooling, tmp_path):
    settings = FrozenSettings(pooling=[pooling], layers=[layer], strengths=[0.3])
    fit_head(encoder, TRAIN, DEV, LABELS, settings, LENGTH, tmp_path / "model")
    scaler = StandardScaler().fit(by_hand(encoder, TRAIN["text"], layer, pooling))
    train, dev = (scaler.transform(by_hand(encoder, rows["text"], layer, pooling)) for rows in (TRAIN, DEV))
    expected = LogisticRegression(C=0.3, max_iter=2000).fit(train, TRAIN["label"]).predict_proba(dev)
    found = predict_labels(tmp_path / "model", list(DEV["text"]), LENGTH).probabilities
    assert np.abs(found - expected).max() < 2e-3
    assert np.ptp(expected, axis=0).min() > 0.1  # else any head would do


def test_transformers_own_pipeline_gives_the_same_answers(encoder, tmp_path):
    fit_head(encoder, TRAIN, DEV, LABELS, FrozenSettings(), LENGTH, tmp_path / "model")
    ours = predict_labels(tmp_path / "model", list(DEV["text"]), LENGTH)
    classify = pipeline("text-classification", model=str(tmp_path / "model"), batch_size=7)
    theirs = classify(list(DEV["text"]), truncation=True, max_length=LENGTH)
    assert [answer["label"] for answer in theirs] == ours.labels
    scores = [answer["score"] for answer in theirs]
    assert np.allclose(scores, ours.probabilities.max(axis=1), atol=1e-4)


def test_layer_and_strength_are_those_with_the_lowest_loss_on_development_texts(encoder, tmp_path):
    settings = FrozenSettings(strengths=[0.001, 1.0])
    choice = fit_head(encoder, TRAIN, DEV, LABELS, settings, LENGTH, tmp_path / "model")
    losses = {}
    for layer in (1, 2, 3):
        scaler = StandardScaler().fit(by_hand(encoder, TRAIN["text"], layer, "mean"))
        train, dev = (
            scaler.transform(by_hand(encoder, rows["text"], layer, "mean")) for rows in (TRAIN, DEV)
        )
        for strength in (0.001, 1.0):
            head = LogisticRegression(C=strength, max_iter=2000).fit(train, TRAIN["label"])
            right = head.predict_proba(dev)[np.arange(len(DEV)), [LABELS.index(x) for x in DEV["label"]]]
            losses[layer, strength] = -np.log(right).mean()
    best = min(losses, key=losses.get)
    assert (choice.layer, choice.strength) == best
    assert choice.loss == pytest.approx(losses[best], abs=1e-3)
    assert max(losses.values()) - min(losses.values()) > 0.05  # a choice that matters


def test_the_body_is_the_encoders(encoder, tmp_path):
    fit_head(encoder, TRAIN, DEV, LABELS, FrozenSettings(layers=[2]), LENGTH, tmp_path / "model")
    before = AutoModel.from_pretrained(encoder).state_dict()
    after = AutoModelForSequenceClassification.from_pretrained(tmp_path / "model").base_model.state_dict()
    kept = [name for name in after if not name.startswith(("encoder.layer.2.", "pooler."))]
    assert any(name.startswith("encoder.layer.1.") for name in kept)
    assert all(torch.equal(after[name], before[name]) for name in kept)
    assert not any(name.startswith("encoder.layer.3.") for name in after)


def test_without_development_texts_a_fifth_of_the_training_texts_takes_their_place(encoder, tmp_path):
    choice = fit_head(encoder, TRAIN, None, LABELS, FrozenSettings(), LENGTH, tmp_path / "none")
    held_out = TRAIN[4::5]
    rest = TRAIN.drop(held_out.index)
    assert choice == fit_head(encoder, rest, held_out, LABELS, FrozenSettings(), LENGTH, tmp_path / "some")


def test_of_many_texts_every_nth_is_read(encoder, tmp_path):
    few = FrozenSettings(texts=50)  # of 120: every third
    choice = fit_head(encoder, TRAIN, DEV, LABELS, few, LENGTH, tmp_path / "few")
    assert choice == fit_head(encoder, TRAIN[::3], DEV, LABELS, FrozenSettings(), LENGTH, tmp_path / "third")


def test_two_labels_and_a_label_without_texts(encoder, tmp_path):
    two = TRAIN[TRAIN["label"] != "b"]
    fit_head(encoder, two, DEV, LABELS, FrozenSettings(layers=[2], strengths=[0.3]), LENGTH, tmp_path / "m")
    found = predict_labels(tmp_path / "m", list(DEV["text"]), LENGTH).probabilities
    scaler = StandardScaler().fit(by_hand(encoder, two["text"], 2, "mean"))
    head = LogisticRegression(C=0.3, max_iter=2000)
    head.fit(scaler.transform(by_hand(encoder, two["text"], 2, "mean")), two["label"])
    expected = head.predict_proba(scaler.transform(by_hand(encoder, DEV["text"], 2, "mean")))
    assert found[:, 1].max() < 1e-6
    assert np.abs(found[:, [0, 2]] - expected).max() < 2e-3


def test_one_label_is_refused(encoder, tmp_path):
    one = TRAIN[TRAIN["label"] == "a"]
    with pytest.raises(InputError, match="one label"):
        fit_head(encoder, one, DEV, LABELS, FrozenSettings(), LENGTH, tmp_path / "model")


def test_a_layer_beyond_the_last_is_refused(encoder, tmp_path):
    with pytest.raises(InputError, match="the encoder has 3"):
        fit_head(encoder, TRAIN, DEV, LABELS, FrozenSettings(layers=[4]), LENGTH, tmp_path / "model")


def test_standardising_gives_target_features_the_sources_mean_and_spread(encoder, tmp_path):
    """The expected logits standardise by numpy, feature by feature."""
    target = texts(3, 60, [0.7, 0.2, 0.1], foreign=0.5)
    source_model = tmp_path / "source"
    fit_head(encoder, TRAIN, DEV, LABELS, FrozenSettings(layers=[3]), LENGTH, source_model)
    standardise_head(source_model, list(target["text"]), source_model, LENGTH, tmp_path / "own")
    source = by_hand(encoder, TRAIN["text"], 3, "mean")
    own = by_hand(encoder, target["text"], 3, "mean")
    moved = (own - own.mean(axis=0)) / own.std(axis=0) * source.std(axis=0) + source.mean(axis=0)
    model = AutoModelForSequenceClassification.from_pretrained(source_model)
    head = model.classifier if hasattr(model.classifier, "in_features") else model.classifier.out_proj
    weights, bias = head.weight.detach().double().numpy(), head.bias.detach().double().numpy()
    logits = moved @ (weights * 2.0**-12).T + bias
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    found = predict_labels(tmp_path / "own", list(target["text"]), LENGTH).probabilities
    plain = predict_labels(source_model, list(target["text"]), LENGTH).probabilities
    assert np.abs(found - expected).max() < 3e-3
    assert np.abs(plain - expected).max() > 0.02  # it makes a difference


def test_standardising_by_the_same_texts_changes_nothing(encoder, tmp_path):
    fit_head(encoder, TRAIN, DEV, LABELS, FrozenSettings(), LENGTH, tmp_path / "model")
    same = list(TRAIN["text"])
    standardise_head(tmp_path / "model", same, tmp_path / "model", LENGTH, tmp_path / "again")
    before, after = (predict_labels(tmp_path / name, same, LENGTH) for name in ("model", "again"))
    # The folder's mean has 1/4096 of the first state in it, the moments on record have nothing of it.
    assert np.abs(before.probabilities - after.probabilities).max() < 1e-3


def test_head_features_are_in_the_order_of_the_texts(encoder, tmp_path):
    fit_head(encoder, TRAIN, DEV, LABELS, FrozenSettings(layers=[1]), LENGTH, tmp_path / "model")
    mixed = pd.concat([DEV["text"], DEV["text"].str.slice(0, 5)])
    found = head_features(tmp_path / "model", list(mixed), LENGTH) * 2.0**12
    assert np.abs(found - by_hand(encoder, mixed, 1, "mean")).max() < 5e-3


def test_a_feature_that_does_not_vary_is_left_alone():
    moments = Standardised.of(np.array([[1.0, 5.0], [3.0, 5.0]]))
    assert moments.apply(np.array([[2.0, 5.0], [3.0, 6.0]])).tolist() == [[0.0, 0.0], [1.0, 1.0]]
