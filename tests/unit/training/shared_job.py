"""A job that shares a toy training among two processes; tests run it, and have one of them fail."""

import os
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

from xstitch.core.errors import InputError
from xstitch.core.job import HELPER, job
from xstitch.training.batches import BatchStream
from xstitch.training.loop import train
from xstitch.training.processes import sharing
from xstitch.training.schedule import Schedule
from xstitch.training.shares import Rows

folder, event = Path(sys.argv[1]), sys.argv[2]
is_helper = HELPER in os.environ
torch.set_num_threads(1)


def fail() -> None:
    """Do in the fourth update what the test wants."""
    if event == "refused":
        raise InputError("the labels are wrong; correct them")
    if is_helper and event == "crashed":
        raise ValueError("an unforeseen problem")
    if is_helper and event == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if not is_helper and event == "stuck":  # until the test kills this process
        time.sleep(600)


with job(SimpleNamespace(log=[str(folder / "log")])), sharing(2):
    (folder / f"pid{int(is_helper)}").write_text(str(os.getpid()))
    if is_helper and event == "early":
        raise InputError("no GPU here; get one")
    model, calls = nn.Linear(3, 1), iter(range(100))

    def loss(batch: torch.Tensor) -> torch.Tensor:
        if next(calls) == 3:
            fail()
        return model(batch).square().mean()

    batches = BatchStream(np.ones(10), 5, 0, lambda rows: torch.ones(len(rows), 3))
    train(model, loss, batches, Schedule(learning_rate=0.1, steps=6), sharing=Rows())
    save_file(model.state_dict(), folder / "weights.safetensors")
    assert not is_helper
