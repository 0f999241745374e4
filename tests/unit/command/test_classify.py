"""`xstitch classify`: what transformers' pipeline answers, from a file or a pipe, as a stream."""

import gzip
import io
import json
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, pipeline

from xstitch.command.main import main
from xstitch.encoders.folders import save_model
from xstitch.encoders.pretraining import wrap
from xstitch.encoders.settings.pretraining import EncoderSettings
from xstitch.encoders.wordpiece import train_wordpiece
from xstitch.models.classifier import TextClassifier
from xstitch.models.stitching import stitch_model
from xstitch.training.history import History
from xstitch.training.schedule import Schedule

WORDS = ["el", "perro", "gato", "casa", "corre", "d'ahí", "perr", "3.5", ",", "."]
TEXTS = ["El perro corre .", "la casa, d'ahí 3.5", "gato\tgato gato", "", "gato " * 40, "perro " * 3]
USAGE = {"language": "es", "task": "t", "segmentation": "unicode", "max_length": 12}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A stitched folder with random weights, large enough that answers differ."""
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    tokenizer = train_wordpiece(["the dog runs", "a cat sleeps"] * 5, 60, False)
    names = {0: "animal", 1: "house", 2: "other"}
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.5,
        id2label=names,
        label2id={name: number for number, name in names.items()},
    )
    settings = EncoderSettings(Schedule(learning_rate=1.0, steps=1), max_length=32)
    save_model(folder / "source", BertForSequenceClassification(config), wrap(tokenizer, settings), History())
    embeddings = np.random.default_rng(1).normal(size=(len(WORDS), 16)).astype("f4")
    stitch_model(folder / "source", WORDS, embeddings, folder / "stitched", USAGE)
    return folder / "stitched"


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command, with a pipe as its input; return its exit code, output and error lines."""

    def run(*arguments, piped=b""):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(piped), isatty=lambda: False))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return run


def test_answers_are_those_of_the_pipeline(model, run):
    by_transformers = pipeline(
        "text-classification", model=str(model), truncation=True, max_length=12, top_k=None
    )
    code, shown, _ = run("classify", model, "--format", "jsonl", piped="\n".join(TEXTS).encode())
    answers = [json.loads(line) for line in shown.splitlines()]
    assert code == 0
    assert [answer["text"] for answer in answers] == TEXTS
    assert len({answer["label"] for answer in answers}) > 1
    for answer, text in zip(answers, TEXTS, strict=True):
        (expected,) = [by_transformers([text])[0]]
        assert answer["label"] == expected[0]["label"]
        assert answer["probabilities"] == pytest.approx(
            {found["label"]: found["score"] for found in expected}, abs=2e-6
        )


@pytest.mark.parametrize("batch_size", [1, 2, 64])
def test_batches_change_nothing(model, batch_size):
    answers = list(TextClassifier(model).answers(TEXTS, batch_size))
    alone = [next(TextClassifier(model).answers([text], 1)) for text in TEXTS]
    for answer, expected in zip(answers, alone, strict=True):
        assert answer.probabilities == pytest.approx(expected.probabilities, abs=1e-6)


def test_no_more_than_a_batch_is_read_ahead(model):
    read = []
    answers = TextClassifier(model).answers((read.append(text) or text for text in TEXTS), 2)
    next(answers)
    assert read == TEXTS[:2]


def test_tables_have_the_text_last_whatever_tabs_it_has(model, run, tmp_path):
    texts = tmp_path / "texts.txt.gz"
    texts.write_bytes(gzip.compress("\n".join(TEXTS).encode()))
    _, shown, _ = run("classify", model, texts, "--all")
    header, *rows = shown.splitlines()
    assert header == "label\tprobability\tanimal\thouse\tother\ttext"
    assert [row.split("\t", 5)[5] for row in rows] == TEXTS
    for row in rows:
        label, probability, *shares = row.split("\t", 5)[:5]
        assert shares[["animal", "house", "other"].index(label)] == probability == max(shares)
        assert sum(map(float, shares)) == pytest.approx(1, abs=2e-4)


def test_text_without_spaces_is_split_as_in_training(model, monkeypatch):
    split = {"perrogato": "perro gato"}
    monkeypatch.setattr(
        "xstitch.models.classifier.spaced", lambda text, tool: split[text] if tool == "jieba" else text
    )
    notes = model / "xstitch.json"
    kept = notes.read_text(encoding="utf-8")
    notes.write_text(json.dumps({**USAGE, "segmentation": "jieba"}), encoding="utf-8")
    try:
        (answer,) = TextClassifier(model).answers(["perrogato"], 1)
    finally:
        notes.write_text(kept, encoding="utf-8")
    (expected,) = TextClassifier(model).answers(["perro gato"], 1)
    assert answer.probabilities == expected.probabilities
    assert answer.text == "perrogato"


def test_a_folder_without_notes_is_used_with_a_warning(model, run):
    source = model.parent / "source"
    code, shown, errors = run("classify", source, piped=b"the dog\n")
    assert code == 0
    assert len(shown.splitlines()) == 2
    assert errors == f"warning: {source}: says nothing about its language; texts are taken as they are\n"


@pytest.mark.parametrize(
    ("arguments", "piped", "message"),
    [
        (["{tmp}"], b"", "{tmp}: no config.json: not a model's folder"),
        (["{model}", "{tmp}/no.txt"], b"", "{tmp}/no.txt: no such file"),
        (["{model}"], b"perro\n\xff\n", "standard input:2: not UTF-8 text"),
        (["{model}", "{tmp}/cut.gz"], b"", "{tmp}/cut.gz: not a complete .xz or .gz file"),
        (["{tagger}"], b"", "{tagger}/config.json: BertForTokenClassification: does not classify texts"),
        (["{damaged}"], b"perro\n", "{damaged}: cannot be loaded"),
        (["{model}", "--format", "xml"], b"", "Invalid value for '--format'"),
    ],
)
def test_bad_input_is_one_line(model, run, tmp_path, arguments, piped, message):
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"perro\n" * 5000)[:-12])
    places = {"tmp": tmp_path, "model": model, "tagger": tmp_path / "tagger", "damaged": tmp_path / "damaged"}
    for copy in ("tagger", "damaged"):
        (tmp_path / copy).mkdir()
        for file in model.iterdir():
            (tmp_path / copy / file.name).write_bytes(file.read_bytes())
    config = (tmp_path / "tagger/config.json").read_text(encoding="utf-8")
    config = config.replace("ForSequenceClassification", "ForTokenClassification")
    (tmp_path / "tagger/config.json").write_text(config, encoding="utf-8")
    (tmp_path / "damaged/model.safetensors").write_bytes(b"no weights")
    code, _, errors = run("classify", *(part.format(**places) for part in arguments), piped=piped)
    assert code in (1, 2)
    assert errors.startswith(f"error: {message.format(**places)}")
    assert re.fullmatch("[^\n]+\n", errors)
