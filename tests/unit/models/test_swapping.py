"""Task adapters on top of language adapters: what fine-tuning trains and saves, what swapping changes."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny import write_trainable

from xstitch.core.errors import InputError
from xstitch.encoders.adapter_training import save_language_adapter
from xstitch.encoders.adapters import AdapterStack, add_language_adapter, stack_adapters
from xstitch.encoders.folders import load_classifier, load_masked_model
from xstitch.encoders.settings.adapters import TaskAdapterSettings
from xstitch.models import tagging
from xstitch.models.classification import finetune_classifier, predict_labels
from xstitch.models.question_answering import finetune_reader, predict_answers
from xstitch.models.settings.reading import ReadingSettings
from xstitch.models.swapping import swap_adapter
from xstitch.models.tagging import finetune_tagger, predict_tags
from xstitch.results.metrics import macro_f1
from xstitch.sources.tasks.rows import Sentence
from xstitch.sources.tasks.squad import Answer, Question
from xstitch.training.history import History
from xstitch.training.schedule import Schedule

LABELS = ["high", "low"]
SETTINGS = TaskAdapterSettings(reduction=4)
SCHEDULE = Schedule(learning_rate=1e-2, batch_size=16, epochs=8, seed=3)


def rows(number, seed):
    """Texts of syllables with a front or a back vowel."""
    random = np.random.default_rng(seed)
    labels = random.integers(2, size=number)
    vowels = [("i", "e"), ("u", "o")]
    texts = [
        " ".join(random.choice(list("bdkmnst")) + random.choice(vowels[label]) for _ in range(5))
        for label in labels
    ]
    return pd.DataFrame({"text": texts, "label": [LABELS[label] for label in labels]})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("adapters")


@pytest.fixture(scope="module")
def encoder(folder):
    """Ten times the usual weights: what a frozen body makes of two texts must differ from the start."""
    encoder = write_trainable(folder / "encoder", rows(200, 0)["text"].tolist())
    weights = load_file(encoder / "model.safetensors")
    larger = {name: 10 * tensor if tensor.ndim > 1 else tensor for name, tensor in weights.items()}
    save_file(larger, encoder / "model.safetensors", metadata={"format": "pt"})
    return encoder


@pytest.fixture(scope="module")
def languages(folder, encoder):
    """Adapters of two languages, with random weights that matter."""
    shape = {"reduction": 2, "invertible_reduction": 4}
    folders = {}
    for seed, language in enumerate(("qaa", "qab")):
        model = load_masked_model(encoder)
        torch.manual_seed(seed)
        add_language_adapter(model, **shape)
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if "adapters" in name or "invertible" in name:
                    weight.normal_(std=0.1)
        folders[language] = folder / language
        save_language_adapter(folders[language], model, shape, History())
    return folders


@pytest.fixture(scope="module")
def model(folder, encoder, languages):
    stack = AdapterStack(languages["qaa"], SETTINGS)
    data = (rows(160, 1), rows(60, 2), LABELS, SCHEDULE, 20)
    finetune_classifier(encoder, *data, folder / "model", adapters=stack)
    return folder / "model"


@pytest.fixture(scope="module")
def swapped(folder, model, languages):
    swap_adapter(model, languages["qab"], folder / "swapped")
    return folder / "swapped"


def test_fine_tuning_trains_the_task_adapter_and_the_head_alone(model, encoder, languages):
    weights, before = load_file(model / "model.safetensors"), load_file(encoder / "model.safetensors")
    language = load_file(languages["qaa"] / "adapter.safetensors")
    trained = {name for name in weights if name not in before and name.removeprefix("bert.") not in language}
    parts = {name.split(".")[-3] for name in trained if ".adapters." in name}
    assert parts == {"task"}
    assert {name.rsplit(".", 1)[0] for name in trained if ".adapters." not in name} == {
        "classifier",
        "bert.pooler.dense",
    }
    assert len(language) == 2 * 4 + 8
    assert all(torch.equal(weights[f"bert.{name}"], tensor) for name, tensor in language.items())
    body = [name for name in before if name in weights]
    assert len(body) == 2 * 16 + 5  # two layers and the embeddings
    assert all(torch.equal(weights[name], before[name]) for name in body)
    task = weights["bert.encoder.layer.0.output.adapters.task.2.weight"]
    assert task.shape == (32, 8)
    assert task.abs().max() > 0.1  # it began at a spread of .02


def test_the_pooler_learns_with_the_head(encoder, languages):
    classifier = load_classifier(encoder, LABELS)
    stack_adapters(classifier, AdapterStack(languages["qaa"], SETTINGS))
    learning = {name for name, weight in classifier.named_parameters() if weight.requires_grad}
    task = {name for name in learning if ".adapters.task." in name}
    assert len(task) == 2 * 4
    assert learning - task == {
        *("bert.pooler.dense.weight", "bert.pooler.dense.bias"),
        *("classifier.weight", "classifier.bias"),
    }


def test_a_saved_model_is_loaded_with_its_adapters(model):
    dev = rows(60, 2)
    score = macro_f1(dev["label"], predict_labels(model, dev["text"], 20).labels, LABELS)
    history = json.loads((model / "xstitch.json").read_text())["history"]
    assert score == pytest.approx(history["best"]["metric"])
    assert score > 0.8


def test_swapping_changes_the_language_alone(model, swapped, languages):
    before, after = (load_file(folder / "model.safetensors") for folder in (model, swapped))
    target = load_file(languages["qab"] / "adapter.safetensors")
    assert before.keys() == after.keys()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed == {f"bert.{name}" for name in target}
    assert all(torch.equal(after[f"bert.{name}"], tensor) for name, tensor in target.items())
    others = {file.name for file in model.iterdir()} - {"model.safetensors"}
    assert others == {file.name for file in swapped.iterdir()} - {"model.safetensors"}
    assert all((model / name).read_bytes() == (swapped / name).read_bytes() for name in others)


def test_a_swapped_model_speaks_through_the_other_adapter(model, swapped, languages, tmp_path):
    texts = rows(30, 4)["text"]
    source, target = (predict_labels(folder, texts, 20).probabilities for folder in (model, swapped))
    assert np.abs(source - target).max() > 1e-3
    swap_adapter(swapped, languages["qaa"], tmp_path / "back")
    back = predict_labels(tmp_path / "back", texts, 20).probabilities
    np.testing.assert_array_equal(back, source)


def test_adapters_of_another_shape_are_refused(model, languages, tmp_path):
    weights = load_file(languages["qab"] / "adapter.safetensors")
    fewer = {name: tensor for name, tensor in weights.items() if "layer.1" not in name}
    wider = {name: torch.zeros(3, 3) for name in weights}
    for name, tensors in (("fewer", fewer), ("wider", wider)):
        (tmp_path / name).mkdir()
        save_file(tensors, tmp_path / name / "adapter.safetensors")
        with pytest.raises(InputError, match=rf"{name}: not an adapter for the encoder of .*model; train it"):
            swap_adapter(model, tmp_path / name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_readers_and_taggers_have_adapters_too(encoder, languages, tmp_path):
    stack = AdapterStack(languages["qaa"], SETTINGS)
    short = Schedule(learning_rate=1e-2, batch_size=8, epochs=1, seed=3)
    lengths = ReadingSettings(max_length=24, stride=8, max_question=8, max_answer=4)
    questions = [Question(str(i), "bi de", "ku bi de", (Answer(3, "bi"),)) for i in range(8)]
    finetune_reader(encoder, questions, None, short, lengths, tmp_path / "reader", adapters=stack)
    sentences = [Sentence(("bi", "ku"), ("B-PER", "O"))] * 8
    data = (sentences, sentences, ["O", "B-PER"], short, 20)
    finetune_tagger(encoder, *data, tmp_path / "tagger", adapters=stack)
    before = load_file(encoder / "model.safetensors")
    for name in ("reader", "tagger"):
        weights = load_file(tmp_path / name / "model.safetensors")
        assert any(".adapters.task." in key for key in weights)
        assert all(torch.equal(weights[key], before[key]) for key in before if key in weights)
        swap_adapter(tmp_path / name, languages["qab"], tmp_path / f"{name}-qab")
    # Without its adapters, a model would answer alike before and after swapping.
    scores = [
        predict_answers(tmp_path / name, questions, lengths).scores for name in ("reader", "reader-qab")
    ]
    assert np.abs(scores[0] - scores[1]).max() > 1e-4
    restored = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tagging, "restore_adapters", lambda _, folder: restored.append(folder))
        predict_tags(tmp_path / "tagger-qab", [("bi", "ku")], 20)
    assert restored == [tmp_path / "tagger-qab"]
    assert len(predict_tags(tmp_path / "tagger-qab", [("bi", "ku")], 20).tags) == 1
