"""Statistics that alignment starts from: sums by batch equal those over all features at once."""

import weakref

import numpy as np
import pytest
import torch
from toy import LABELS, make_toy

from xstitch.models.transfer import domains, statistics
from xstitch.models.transfer.domains import answer, load_model
from xstitch.models.transfer.statistics import RunningMeans, measure_start
from xstitch.training import devices


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Make an encoder and the transfer of a model that was fine-tuned from it."""
    return make_toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def whole(toy):
    """The features, predictions and labels of all target texts, in one batch."""
    model, target = load_model(toy[1].model, toy[1].target).eval(), toy[1].domains()[1]
    with torch.inference_mode():
        answers = answer(model, target.collate(np.arange(len(target))))
    return answers.features.numpy(), answers.logits.argmax(dim=1).numpy(), answers.gold.numpy()


@pytest.mark.parametrize("classes", ["gold", "predicted"])
@pytest.mark.parametrize("batch", [7, 64])
def test_start_statistics_are_those_of_all_texts(toy, whole, monkeypatch, classes, batch):
    monkeypatch.setattr(devices, "EVALUATION_BATCH", batch)
    features, predicted, gold = whole
    model, target = load_model(toy[1].model, toy[1].target), toy[1].domains()[1]
    start = measure_start(model, target, 3, classes)
    labels = gold if classes == "gold" else predicted
    for number in range(len(LABELS)):
        own = features[labels == number].astype(np.float64)
        assert start.sums[number, :-1].numpy() == pytest.approx(own.sum(axis=0), rel=1e-4, abs=1e-4)
        assert start.sums[number, -1] == len(own)
        assert start.joint[number].tolist() == [
            int(((predicted == number) & (gold == label)).sum()) for label in range(3)
        ]
    assert not (gold == predicted).all()  # otherwise rows and columns would be the same


def test_only_one_batch_of_features_is_in_memory(toy, monkeypatch):
    """No tensor of features outlives its batch."""
    kept = []

    def watched(*arguments):
        answers = answer(*arguments)
        kept.append(weakref.ref(answers.features))
        assert sum(ref() is not None for ref in kept) <= 2  # this batch, and the last until it is replaced
        return answers

    monkeypatch.setattr(domains, "answer", watched)
    monkeypatch.setattr(devices, "EVALUATION_BATCH", 10)
    measure_start(load_model(toy[1].model, toy[1].target), toy[1].domains()[1], 3, "gold")
    assert len(kept) == 20


def test_the_source_is_read_with_the_table_it_was_trained_with(toy, monkeypatch):
    tables = []
    monkeypatch.setattr(statistics, "read", lambda *_, table=None: tables.append(table))
    table = torch.nn.Embedding(2, 2)
    measure_start(torch.nn.Linear(1, 1), toy[1].domains()[0], 3, "gold", table)
    assert tables == [table]


def test_shift_is_the_mean_distance_over_shared_classes():
    # Means (1, 2) and (3, 2) of the first class differ by 2, (0, 0) and (1, 5) of the second by 6; only one
    # language has the third.
    source = torch.tensor([[2.0, 4.0, 2.0], [0.0, 0.0, 1.0], [9.0, 9.0, 1.0]])
    target = torch.tensor([[3.0, 2.0, 1.0], [2.0, 10.0, 2.0], [0.0, 0.0, 0.0]])
    assert RunningMeans([source, target], [1, 1], 0.1).shift().item() == pytest.approx((2 + 6) / 2)
