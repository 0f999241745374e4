"""Fine-tuning and prediction on a toy problem that an untrained encoder can learn."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file

from xstitch.core.errors import InputError
from xstitch.encoders import pretraining
from xstitch.encoders.folders import load_classifier, load_tokenizer, save_model
from xstitch.encoders.settings.pretraining import EncoderSettings
from xstitch.encoders.wordpiece import train_wordpiece
from xstitch.models import classification
from xstitch.models.classification import finetune_classifier, label_numbers, predict_labels
from xstitch.models.heads import labels
from xstitch.results.metrics import accuracy, macro_f1
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import seed_all
from xstitch.training.history import History
from xstitch.training.schedule import Schedule

LABELS = ["war", "harvest", "prayer"]
TOPICS = {"war": "sword army siege", "harvest": "corn field reap", "prayer": "altar hymn kneel"}
FILLER = ["the", "a", "of", "and", "in", "to", "with", "on"]
SCHEDULE = Schedule(learning_rate=3e-3, batch_size=16, epochs=8, warmup=0.1, seed=3)


def verses(number: int, seed: int) -> pd.DataFrame:
    """Make texts of unequal length; two words give away the label."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(number):
        label = LABELS[random.integers(3)]
        words = [*random.choice(TOPICS[label].split(), 2), *random.choice(FILLER, random.integers(1, 9))]
        rows.append((" ".join(random.permutation(words)), label))
    return pd.DataFrame(rows, columns=["text", "label"])


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with random weights: good enough here, and fast."""
    settings = EncoderSettings(Schedule(learning_rate=1, steps=1), width=32, max_length=32)
    tokenizer = train_wordpiece(verses(200, 0)["text"], 200, lowercase=True)
    seed_all(0)
    model = pretraining.new_model(tokenizer, settings)
    folder = tmp_path_factory.mktemp("encoder")
    save_model(folder, model, pretraining.wrap(tokenizer, settings), History())
    return folder


@pytest.fixture(scope="module")
def classifier(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("models") / "classifier"
    checkpoint = Checkpoint(output.parent / "checkpoint", "x", steps=10)
    finetune_classifier(encoder, verses(200, 1), verses(60, 2), LABELS, SCHEDULE, 20, output, checkpoint)
    assert not checkpoint.folder.exists()
    return output


def test_separable_problem_is_learnt(classifier: Path) -> None:
    test = verses(80, 3)
    predictions = predict_labels(classifier, test["text"], max_length=20)
    assert macro_f1(test["label"], predictions.labels, LABELS) > 0.9
    assert np.allclose(predictions.probabilities.sum(axis=1), 1, atol=1e-6)
    assert [LABELS[i] for i in predictions.probabilities.argmax(axis=1)] == predictions.labels


def test_saved_weights_are_those_of_the_best_dev_score(classifier: Path) -> None:
    history = json.loads((classifier / "xstitch.json").read_text())["history"]
    dev = verses(60, 2)
    score = macro_f1(dev["label"], predict_labels(classifier, dev["text"], 20).labels, LABELS)
    assert history["best"]["metric"] == pytest.approx(max(record["metric"] for record in history["records"]))
    assert history["best"]["metric"] == pytest.approx(score)
    assert len(history["records"]) == 8


def test_the_weights_of_the_lowest_dev_loss_can_be_kept(encoder: Path, tmp_path: Path) -> None:
    # High rates soon make the loss rise again; 70 texts are evaluated in two batches of unequal size.
    schedule = Schedule(learning_rate=2e-2, batch_size=16, epochs=5, seed=3, keep="lowest-loss")
    dev = verses(70, 2)
    history = finetune_classifier(encoder, verses(60, 1), dev, LABELS, schedule, 20, tmp_path / "model")
    probabilities = predict_labels(tmp_path / "model", dev["text"], 20).probabilities
    gold = [LABELS.index(label) for label in dev["label"]]
    loss = -np.log(probabilities[range(70), gold]).mean()
    assert history.best.metric == min(record.metric for record in history.records)
    assert history.best.metric == pytest.approx(loss, rel=1e-4)


@pytest.mark.parametrize("keep", ["best", "lowest-loss"])
def test_without_development_texts_the_last_weights_are_kept(encoder, tmp_path, keep) -> None:
    schedule = Schedule(learning_rate=2e-2, batch_size=16, epochs=5, seed=3, keep=keep)
    rows = pa.Table.from_pandas(verses(60, 1), preserve_index=False)
    settings = {"labels": LABELS, "max_length": 20}
    history = labels.finetune(encoder, rows, rows.slice(0, 0), settings, schedule, tmp_path / "none")
    assert history.best is None and [record.metric for record in history.records] == [None] * 5
    labels.finetune(encoder, rows, rows, settings, replace(schedule, keep="last"), tmp_path / "last")
    none, last = (load_file(tmp_path / name / "model.safetensors") for name in ("none", "last"))
    assert all(np.array_equal(none[name], last[name]) for name in last)


def test_folder_runs_in_a_transformers_pipeline(classifier: Path) -> None:
    from transformers import pipeline

    config = json.loads((classifier / "config.json").read_text())
    assert config["id2label"] == {"0": "war", "1": "harvest", "2": "prayer"}
    assert config["label2id"] == {"war": 0, "harvest": 1, "prayer": 2}
    answer = pipeline("text-classification", model=str(classifier))("the army with a sword")
    assert answer[0]["label"] == predict_labels(classifier, ["the army with a sword"], 20).labels[0] == "war"


def test_notes_name_the_embedding_tensor(classifier: Path) -> None:
    name = json.loads((classifier / "xstitch.json").read_text())["input_embeddings"]
    tensor = load_file(classifier / "model.safetensors")[name]
    assert torch.equal(tensor, load_classifier(classifier).get_input_embeddings().weight)


def test_prediction_keeps_order_whatever_the_batch_size(
    classifier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In double precision, so that rounding, which depends on the batch size, cannot change a label.
    monkeypatch.setattr(classification, "load_classifier", lambda folder: load_classifier(folder).double())
    texts = verses(50, 4)["text"].tolist()
    alone = [label for text in texts[:10] for label in predict_labels(classifier, [text], 20).labels]
    results = [predict_labels(classifier, texts, 20, batch_size=batch_size) for batch_size in (1, 7, 64)]
    assert results[0].labels[:10] == alone
    for other in results[1:]:
        assert other.labels == results[0].labels
        assert np.allclose(other.probabilities, results[0].probabilities, atol=1e-5)


def test_texts_are_tokenised_in_blocks_as_all_at_once(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer, texts = load_tokenizer(encoder), ["the army", "a field", "hymn", "corn and the altar", "of"]
    whole = classification.tokenise_texts(tokenizer, texts, texts[::-1], 20)
    monkeypatch.setattr(classification, "BLOCK", 2)
    parts = classification.tokenise_texts(tokenizer, texts, texts[::-1], 20)
    # Per row, both texts and their special tokens: [CLS] the army [SEP] of [SEP], and so on.
    assert len(parts.ids) == 5 and parts.ids.lengths.tolist() == whole.ids.lengths.tolist()
    assert parts.ids.values.tolist() == whole.ids.values.tolist()


def test_padding_has_no_effect_on_the_loss_and_its_gradient(encoder: Path) -> None:
    # Whether batches are by length or random changes which texts share an update, and nothing else.
    model = load_classifier(encoder, LABELS).double().eval()
    texts = classification.tokenise_texts(load_tokenizer(encoder), ["the army", "a field " * 9], None, 20)

    def gradients(rows: list[int]) -> torch.Tensor:
        model.zero_grad()
        batch = texts.collate(np.array(rows))
        logits = classification._logits(model, batch)
        torch.nn.functional.cross_entropy(logits, torch.tensor(rows)).backward()
        return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])

    together, alone = gradients([0, 1]), [gradients([row]) for row in (0, 1)]
    assert texts.ids.lengths.tolist() == [4, 20]  # the first is padded to five times its length
    assert torch.allclose(together, (alone[0] + alone[1]) / 2, atol=1e-12)


def test_random_batches_are_another_training(encoder: Path, tmp_path: Path) -> None:
    for grouping in ("by-length", "random"):
        schedule = Schedule(learning_rate=1e-3, batch_size=16, epochs=1, seed=3, batches=grouping)
        data = (verses(60, 1), verses(30, 2), LABELS, schedule, 20)
        finetune_classifier(encoder, *data, tmp_path / grouping)
    one, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("by-length", "random"))
    assert one != other


def test_long_texts_are_truncated(classifier: Path) -> None:
    text = "the army with a sword " * 30
    cut = predict_labels(classifier, [text], max_length=12).probabilities
    short = predict_labels(classifier, ["the army with a sword " * 2], 12).probabilities
    assert np.allclose(cut, short, atol=1e-6)
    with pytest.raises(InputError, match="max_length is 33, but the encoder takes 32 tokens at most"):
        predict_labels(classifier, [text], max_length=33)


def test_replaced_embeddings_are_used_and_frozen_ones_stay(encoder: Path, tmp_path: Path) -> None:
    shape = (len(load_tokenizer(encoder)), 32)
    table = np.random.default_rng(0).normal(0, 0.05, shape).astype(np.float32)
    data = (verses(60, 1), verses(30, 2), LABELS, Schedule(learning_rate=1e-3, epochs=1, seed=3), 20)
    tables = {}
    for name, frozen in (("frozen", True), ("trained", False)):
        finetune_classifier(encoder, *data, tmp_path / name, embeddings=table, freeze_embeddings=frozen)
        tables[name] = load_classifier(tmp_path / name).get_input_embeddings().weight.detach().numpy()
    assert np.array_equal(tables["frozen"], table)
    assert not np.array_equal(tables["trained"], table)
    assert np.abs(tables["trained"] - table).max() < 0.01
    with pytest.raises(InputError, match=r"embeddings are \(3, 32\), but the encoder's table is"):
        finetune_classifier(encoder, *data, tmp_path / "bad", embeddings=table[:3])
    assert not (tmp_path / "bad").exists()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_weights(
    encoder: Path, tmp_path: Path
) -> None:
    data = (verses(60, 1), verses(30, 2), LABELS)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        schedule = Schedule(learning_rate=1e-3, epochs=1, seed=seed)
        finetune_classifier(encoder, *data, schedule, 20, tmp_path / name)
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in "abc"]
    assert weights[0] == weights[1] != weights[2]


def test_unknown_labels_and_empty_data_are_refused() -> None:
    with pytest.raises(InputError, match="dev data: label 'peace' is not one of war, harvest, prayer"):
        label_numbers(["war", "peace"], LABELS, "dev")
    with pytest.raises(InputError, match="training data: no examples"):
        label_numbers([], LABELS, "training")
    assert accuracy(label_numbers(["prayer", "war"], LABELS, "dev"), [2, 0]) == 1.0
