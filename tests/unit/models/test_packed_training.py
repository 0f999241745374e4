"""Fine-tuning on packed sequences: the weights of the padded computation, kills and resumptions included."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from teams import largest_difference
from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

from xstitch.encoders.packed.encoder import NARROW, pack_encoder
from xstitch.encoders.wordpiece import SPECIAL, train_wordpiece
from xstitch.models import classification, question_answering, tagging
from xstitch.models.settings.reading import ReadingSettings
from xstitch.sources.tasks.rows import Sentence
from xstitch.sources.tasks.squad import Answer, Question
from xstitch.training import loop
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import Schedule

WORDS = [a + b for a in "bdkmnst" for b in "aeiou"]
WEIGHTS = "model.safetensors"
# In exact arithmetic their gradient is 0, for they move all scores of a softmax alike: Adam makes whole steps
# out of what rounding leaves of it.
NOISE = ("key.bias", "qa_outputs.bias")
SCHEDULE = Schedule(learning_rate=1e-3, batch_size=5, accumulation=2, epochs=3, warmup=0.2, seed=3)
LENGTH = 24
RANDOM = np.random.default_rng(0)
TEXTS = [RANDOM.choice(WORDS, length).tolist() for length in RANDOM.integers(1, 12, size=22)]
SENTENCES = [Sentence(tuple(text), tuple("V" if word < "k" else "C" for word in text)) for text in TEXTS]


def write_encoder(folder: Path, family: str, dropout: float = 0.0) -> Path:
    tokenizer = train_wordpiece([" ".join(text) for text in TEXTS], 120, lowercase=False)
    names = {f"{name}_token": token for name, token in SPECIAL.items()}
    config = AutoConfig.for_model(
        family,
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=NARROW,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=NARROW,
        max_position_embeddings=2 * LENGTH,
        pad_token_id=tokenizer.token_to_id(SPECIAL["pad"]),
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    torch.manual_seed(0)
    AutoModel.from_config(config).save_pretrained(folder)
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=LENGTH, **names)
    wrapped.save_pretrained(folder)
    return folder


def classify(encoder: Path, output: Path, **options) -> None:
    labels = ["long" if len(text) > 5 else "short" for text in TEXTS]
    texts = pd.DataFrame({"text": map(" ".join, TEXTS), "label": labels})
    classification.finetune_classifier(
        encoder, texts, texts[:6], ["long", "short"], SCHEDULE, LENGTH, output, **options
    )


def tag(encoder: Path, output: Path) -> None:
    tagging.finetune_tagger(encoder, SENTENCES, SENTENCES[:6], ["C", "V"], SCHEDULE, LENGTH, output)


def read(encoder: Path, output: Path) -> None:
    questions = [
        Question(str(number), text[-1], " ".join(text), (Answer(0, text[0]),))
        for number, text in enumerate(TEXTS)
    ]
    settings = ReadingSettings(LENGTH, LENGTH, LENGTH, 30)
    question_answering.finetune_reader(encoder, questions, questions[:6], SCHEDULE, settings, output)


MODULES = {classify: classification, tag: tagging, read: question_answering}


@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize("finetune", [classify, tag, read])
def test_weights_are_those_of_the_padded_computation(
    family: str, finetune: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder, packed = write_encoder(tmp_path / "encoder", family), []

    def pack(*arguments, **options) -> None:
        packed.append(pack_encoder(*arguments, **options, variables={}))

    monkeypatch.setattr(MODULES[finetune], "pack_encoder", pack)
    finetune(encoder, tmp_path / "packed")
    assert packed == [True]
    monkeypatch.setattr(MODULES[finetune], "pack_encoder", lambda *_, **__: None)
    finetune(encoder, tmp_path / "padded")
    files = tmp_path / "packed" / WEIGHTS, tmp_path / "padded" / WEIGHTS
    assert largest_difference(*files, NOISE) < 1e-4  # a tenth of a step of Adam's
    start = write_encoder(tmp_path / "start", family) / WEIGHTS
    assert _layers_moved(start, files[0]) > 1e-3


def _layers_moved(start: Path, end: Path) -> float:
    before, after = load_file(start), load_file(end)
    name = "encoder.layer.1.intermediate.dense.weight"
    own = next(key for key in after if key.endswith(name))
    return (before[name] - after[own]).abs().max().item()


def test_a_killed_training_with_dropout_resumes_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classification, "pack_encoder", partial(pack_encoder, variables={}))
    encoder = write_encoder(tmp_path / "encoder", "bert", dropout=0.1)
    classify(encoder, tmp_path / "whole")
    checkpoint = Checkpoint(tmp_path / "checkpoint", "x", steps=2)
    update, calls = loop._Run.update, []

    def killed(run: loop._Run) -> float:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return update(run)

    with monkeypatch.context() as patch:
        patch.setattr(loop._Run, "update", killed)
        with pytest.raises(KeyboardInterrupt):
            classify(encoder, tmp_path / "resumed", checkpoint=checkpoint)
    classify(encoder, tmp_path / "resumed", checkpoint=checkpoint)
    assert largest_difference(tmp_path / "whole" / WEIGHTS, tmp_path / "resumed" / WEIGHTS) == 0
