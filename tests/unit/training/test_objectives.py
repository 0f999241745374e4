"""Several objectives at once: gradients add up by weight, streams keep position, stopped runs resume."""

import numpy as np
import pytest
import torch
from torch import nn

from xstitch.core.errors import InputError
from xstitch.training.batches import BatchStream
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import seed_all
from xstitch.training.loop import Objective, train_jointly
from xstitch.training.schedule import Schedule

DATA = torch.randn(12, 3, generator=torch.Generator().manual_seed(0))


def stream(rows, batch_size, seed):
    return BatchStream(np.ones(rows), batch_size, seed, lambda chosen: DATA[chosen])


def sgd(root, schedule):
    return torch.optim.SGD(root.parameters(), lr=schedule.learning_rate)


def test_gradients_add_up_by_weight():
    # Losses w and 3 w, the second at half its weight over two batches: the gradient is 1 + 3 / 2.
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 10.0)
    calls = {"one": 0, "three": 0}

    def loss(name, factor):
        def compute(_):
            calls[name] += 1
            return factor * model.weight.sum()

        return compute

    objectives = {
        "one": Objective(loss("one", 1.0), stream(4, 4, 0)),
        "three": Objective(loss("three", 3.0), stream(12, 2, 0), weight=0.5, accumulation=2),
    }
    schedule = Schedule(learning_rate=0.1, epochs=2, schedule="constant", clip=None)
    history = train_jointly(model, objectives, schedule, optimiser=sgd)
    # The first stream has one batch per epoch: two epochs are two updates.
    assert model.weight.item() == pytest.approx(10 - 2 * 0.1 * 2.5)
    assert calls == {"one": 2, "three": 4}
    assert history.records[0].parts == pytest.approx({"one": 10.0, "three": 15.0})
    assert history.records[0].loss == pytest.approx(25.0)


class StopError(Exception):
    pass


def run(checkpoint=None, stop_at=None):
    seed_all(1)
    model, calls = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.3)), 0

    def loss(batch):
        nonlocal calls
        calls += 1
        if calls == stop_at:
            raise StopError
        return (model(batch) - batch).square().mean()

    def other(batch):
        return model(batch).square().mean()

    objectives = {"copy": Objective(loss, stream(12, 5, 1)), "small": Objective(other, stream(10, 3, 2))}
    schedule = Schedule(learning_rate=0.01, steps=11, accumulation=2, seed=3)
    train_jointly(model, objectives, schedule, checkpoint=checkpoint)
    return model.state_dict()


def test_a_stopped_run_ends_with_the_same_weights(tmp_path):
    whole = run()
    with pytest.raises(StopError):
        run(Checkpoint(tmp_path, "x", steps=2), stop_at=14)
    assert (tmp_path / "step-000000006").exists()
    resumed = run(Checkpoint(tmp_path, "x", steps=2))
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def test_a_loss_that_is_not_a_number_names_its_objective():
    model = nn.Linear(3, 1)
    objectives = {
        "good": Objective(lambda batch: model(batch).sum(), stream(12, 4, 0)),
        "bad": Objective(lambda batch: model(batch).sum() * torch.nan, stream(12, 4, 0)),
    }
    with pytest.raises(InputError, match="the loss of bad is nan at step 1 of 2"):
        train_jointly(model, objectives, Schedule(learning_rate=0.1, steps=2))
