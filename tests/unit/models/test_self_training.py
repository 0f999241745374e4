"""Self-training without a model: where a stream starts, and where a run is saved."""

from types import SimpleNamespace

import numpy as np
import pytest
from torch import nn

from xstitch.models.settings.transfer import SelfTrainingSettings
from xstitch.models.transfer import self_training
from xstitch.models.transfer.self_training import PseudoStream, self_train
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import Schedule

SCHEDULE = Schedule(learning_rate=1, batch_size=2, steps=1, seed=1)
SOURCE = SimpleNamespace(position=lambda: {"epoch": 0})


def test_a_stream_starts_without_examples():
    stream = PseudoStream(SimpleNamespace(gold=np.zeros(3)), SOURCE, None, SCHEDULE)
    start = {
        "round": 0,
        "index": 0,
        "rows": [],
        "labels": [self_training.IGNORED] * 3,
        "source": {"epoch": 0},
    }
    assert stream.position() == start


def test_a_run_is_saved_where_it_is_told(monkeypatch, tmp_path):
    seen = []

    def train(*arguments, **_):
        seen.extend(arguments)
        raise KeyboardInterrupt

    class Domain:
        gold = np.zeros(3)

        def __len__(self):
            return 3

        def stream(self, *_):
            return SOURCE

    transfer = SimpleNamespace(
        model=tmp_path, target=None, scaled=lambda schedule: schedule, domains=lambda: (Domain(), Domain())
    )
    monkeypatch.setattr(self_training, "load_model", lambda *_: nn.Linear(1, 1))
    monkeypatch.setattr(self_training, "train", train)
    checkpoint = Checkpoint(tmp_path, "a run")
    with pytest.raises(KeyboardInterrupt):
        self_train(transfer, SelfTrainingSettings(), SCHEDULE, tmp_path / "out", checkpoint)
    assert checkpoint in seen
    assert SCHEDULE in seen
