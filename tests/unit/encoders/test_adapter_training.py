"""Language adapters: what is trained and what is not, what is saved, and how a killed training goes on."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tiny import write_corpus, write_encoder, write_trainable

from xstitch.core.errors import InputError
from xstitch.encoders import adapter_training
from xstitch.encoders.adapter_training import train_language_adapter
from xstitch.encoders.adapters import load_language_adapter
from xstitch.encoders.folders import load_masked_model
from xstitch.encoders.settings.adapters import LanguageAdapterSettings
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import with_schedule

WORDS = [a + b for a in "bdkmnst" for b in "aeiou"]


def texts(number, seed):
    """Sentences in which a few words are frequent: soon learnt."""
    random = np.random.default_rng(seed)
    shares = np.arange(len(WORDS), 0, -1) ** 3.0
    return [" ".join([*random.choice(WORDS, 5, p=shares / shares.sum()), "."]) for _ in range(number)]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return write_trainable(tmp_path_factory.mktemp("encoder"), texts(300, 0))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpora") / "qab.parquet", texts(200, 1))


def settings(**more):
    training = {"learning_rate": 1e-2, "batch_size": 16, "steps": 40, "evaluate_every": 10}
    keys = {"training": training, "max_length": 16, "held_out": 20, **more}
    return LanguageAdapterSettings(**with_schedule(keys, seed=2))


def train_watched(*case):
    """Train an adapter; return the history and the model that it was trained in."""
    models, save = [], adapter_training.save_language_adapter

    def watched(output, model, *more):
        models.append(model)
        save(output, model, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adapter_training, "save_language_adapter", watched)
        history = train_language_adapter(*case)
    return history, models[0]


@pytest.fixture(scope="module")
def trained(encoder, corpus, tmp_path_factory):
    output = tmp_path_factory.mktemp("adapters") / "qab"
    return output, *train_watched(encoder, "qab", corpus, settings(), output)


def is_of_adapter(name):
    return ".adapters.language." in name or ".invertible." in name


def test_only_the_adapter_is_trained(trained, encoder):
    output, _, model = trained
    learning = {name for name, weight in model.named_parameters() if weight.requires_grad}
    assert learning == {name for name, _ in model.named_parameters() if is_of_adapter(name)}
    # Two layers, each with two projections, and four projections of the invertible part.
    assert len(learning) == 2 * 4 + 8
    body = load_masked_model(encoder).state_dict()
    after = {name: tensor for name, tensor in model.state_dict().items() if not is_of_adapter(name)}
    assert body.keys() == after.keys()
    assert all(torch.equal(body[name], after[name]) for name in body)
    saved = load_file(output / "adapter.safetensors")
    assert {f"bert.{name}" for name in saved} == learning
    # Every part moved: those of the first layer and the invertible one have to be reached by the gradient.
    assert all(tensor.abs().max() > 0.05 for tensor in saved.values() if tensor.ndim > 1)


def test_it_learns_the_language(trained):
    _, history, _ = trained
    assert [record.step for record in history.records] == [10, 20, 30, 40]
    assert history.best.metric == min(record.metric for record in history.records)
    assert history.best.metric < 0.85 * np.log(120)  # of guessing among the encoder's 120 tokens


def test_it_can_be_put_into_another_copy_of_the_encoder(trained, encoder):
    output, _, model = trained
    fresh = load_masked_model(encoder).eval()
    shape = load_language_adapter(fresh, output)
    assert shape == {"reduction": 2, "invertible_reduction": 2}
    notes = json.loads((output / "xstitch.json").read_text())
    assert notes["adapter"] == shape
    ids = torch.tensor([[1, 7, 9, 12, 2]])
    with torch.inference_mode():
        torch.testing.assert_close(fresh(input_ids=ids).logits, model.eval()(input_ids=ids).logits)


def test_the_head_learns_if_asked_to_and_the_embeddings_never(encoder, corpus, tmp_path):
    short = settings(train_head=True, training={"learning_rate": 1e-2, "steps": 2})
    _, model = train_watched(encoder, "qab", corpus, short, tmp_path / "qab")
    before, after = load_masked_model(encoder).state_dict(), model.state_dict()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed
    assert all(name.startswith("cls.predictions.") for name in changed)
    table = "bert.embeddings.word_embeddings.weight"
    assert torch.equal(before[table], after[table])


def test_a_killed_training_ends_with_the_same_bytes(encoder, corpus, trained, tmp_path, monkeypatch):
    loss, calls = adapter_training.masked_loss, []

    def failing(model, batch):
        calls.append(1)
        if len(calls) == 25:
            raise KeyboardInterrupt
        return loss(model, batch)

    monkeypatch.setattr(adapter_training, "masked_loss", failing)
    checkpoint = Checkpoint(tmp_path / "checkpoint", "x", steps=8)
    case = (encoder, "qab", corpus, settings(), tmp_path / "qab", checkpoint)
    with pytest.raises(KeyboardInterrupt):
        train_language_adapter(*case)
    assert not (tmp_path / "qab").exists()
    train_language_adapter(*case)
    assert len(calls) == 25 + 40 - 24  # 24 steps were saved
    assert not checkpoint.folder.exists()
    weights = [(folder / "adapter.safetensors").read_bytes() for folder in (tmp_path / "qab", trained[0])]
    assert weights[0] == weights[1]


def test_an_encoder_without_its_head_is_refused(corpus, tmp_path):
    encoder = write_encoder(tmp_path / "body", texts(300, 0))
    with pytest.raises(InputError, match=r"body: has no weights for cls\.pred.*; take the whole model$"):
        train_language_adapter(encoder, "qab", corpus, settings(), tmp_path / "qab")


def test_an_adapter_of_another_encoder_is_refused(trained, tmp_path):
    narrow = write_encoder(tmp_path / "narrow", texts(300, 0))
    with pytest.raises(InputError, match=r"qab: its adapters are not for this encoder; train them again$"):
        load_language_adapter(load_masked_model(narrow), trained[0])
