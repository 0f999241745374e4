"""Distillation without a model: in which order a student meets the texts of both languages."""

from types import SimpleNamespace

import pytest
from torch import nn

from xstitch.models.settings.transfer import DistillationSettings
from xstitch.models.transfer import distillation
from xstitch.training.schedule import Schedule


def test_the_languages_are_shuffled_differently(monkeypatch, tmp_path):
    # Texts of both languages that were sorted alike would meet in every epoch.
    orders = {}

    def domain(name):
        return SimpleNamespace(stream=lambda _, order=0: orders.update({name: order}))

    def train(*_, **__):
        raise KeyboardInterrupt

    transfer = SimpleNamespace(
        model=tmp_path,
        target=None,
        labels=(),
        scaled=lambda schedule: schedule,
        domains=lambda: (domain("source"), domain("target")),
    )
    for name, stand_in in {
        "load_model": lambda *_: nn.Linear(1, 1),
        "answer_items": lambda *_: None,
        "PairedStream": lambda *_: None,
        "freeze_bottom": lambda *_: None,
        "train": train,
    }.items():
        monkeypatch.setattr(distillation, name, stand_in)
    schedule = Schedule(learning_rate=1, steps=1)
    with pytest.raises(KeyboardInterrupt):
        distillation.distill(transfer, tmp_path, DistillationSettings(), schedule, tmp_path / "out")
    assert orders["source"] != orders["target"]
