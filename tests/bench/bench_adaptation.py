"""Distillation: what asking the teacher once saves over asking it at every update."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from bench import Bench
from bench_training import write_encoder
from torch import nn

from xstitch.models.classification import finetune_classifier
from xstitch.models.settings.transfer import DistillationSettings
from xstitch.models.transfer.distillation import distill, soft_loss
from xstitch.models.transfer.domains import PairedStream, answer, load_model
from xstitch.models.transfer.task import Transfer
from xstitch.training.loop import train
from xstitch.training.schedule import Schedule

WORDS = [f"w{number}" for number in range(500)]
LABELS = ("a", "b", "c")
LENGTH = 64
SCHEDULE = Schedule(learning_rate=1e-4, epochs=4, batch_size=32)
SETTINGS = DistillationSettings(frozen_layers=0)


def bench_distillation() -> Bench:
    """Four epochs over 300 texts of 5 to 40 words per language, BERT of 4 layers, batches of 32."""
    source, target = _texts(0), _texts(1)
    folder = Path(tempfile.mkdtemp())
    encoder, model = folder / "encoder", folder / "model"
    write_encoder(encoder, [*source["text"], *target["text"]])
    first = Schedule(learning_rate=1e-4, steps=1, batch_size=32)
    finetune_classifier(encoder, source, source[:8], LABELS, first, LENGTH, model)
    transfer = Transfer(model, source, target, LABELS, LENGTH)
    return Bench(
        "the teacher answers every batch before the student does",
        lambda: _distill_plainly(transfer, encoder),
        lambda: distill(transfer, encoder, SETTINGS, SCHEDULE, Path(tempfile.mkdtemp()) / "student"),
        rounds=3,
    )


def _texts(seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    lengths = random.integers(5, 40, size=300)
    texts = [" ".join(random.choice(WORDS, length)) for length in lengths]
    return pd.DataFrame({"text": texts, "label": random.choice(LABELS, len(texts))})


def _distill_plainly(transfer: Transfer, encoder: Path) -> None:
    teacher = load_model(transfer.model, transfer.target).eval()
    pupil = load_model(encoder, transfer.target, LABELS)
    streams = [domain.stream(SCHEDULE) for domain in transfer.domains()]

    def loss(batch: dict) -> torch.Tensor:
        sides = batch["source"], batch["target"]
        source, target = (answer(pupil, side) for side in sides)
        with torch.no_grad():
            taught = torch.cat([answer(teacher, side).logits for side in sides])
        soft = soft_loss(torch.cat([source.logits, target.logits]), taught, SETTINGS.temperature)
        labelled = nn.functional.cross_entropy(source.logits, source.gold)
        return soft + SETTINGS.source_weight * labelled

    train(pupil, loss, PairedStream(*streams), SCHEDULE)
