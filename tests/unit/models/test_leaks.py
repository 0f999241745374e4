"""Only the oracle learns from target labels: with false ones, all others end with the same weights."""

from dataclasses import replace

import pytest
from safetensors.torch import load_file
from toy import LABELS, TRAINING, make_toy

from xstitch.models.transfer.stages import Stage, adapt

FALSE = dict(zip(LABELS, LABELS[1:] + LABELS[:1], strict=True))  # every label is another


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Make an encoder and the transfer of a model that was fine-tuned from it."""
    return make_toy(tmp_path_factory.mktemp("toy"))


def weights(toy, folder, stage, target):
    """Adapt to a target and return the weights."""
    adapt(replace(stage, student=toy[0]), replace(toy[1], target=target), 1, folder)
    return load_file(folder / "model.safetensors")


@pytest.mark.parametrize(
    ("method", "adaptation", "candidates", "leaks"),
    [
        ("self-train", {"share": 0.1}, {}, False),
        ("self-train", {}, {"share": [0.05, 0.2]}, False),
        ("distill", {"frozen_layers": 0}, {}, False),
        ("distill", {"frozen_layers": 0}, {"learning_rate": [1e-3, 1e-4]}, False),
        ("adversarial", {"hidden": 16, "weights": "estimated"}, {}, False),
        ("adversarial", {"hidden": 16, "weights": "none"}, {}, False),
        ("adversarial", {"hidden": 16, "weights": "oracle", "strength": 0.3}, {}, True),
    ],
)
def test_target_labels_change_nothing(toy, tmp_path, method, adaptation, candidates, leaks):
    stage = Stage(method, adaptation, {**TRAINING, "epochs": 1}, candidates)
    target = toy[1].target
    given = weights(toy, tmp_path / "given", stage, target)
    false = weights(toy, tmp_path / "false", stage, target.assign(label=target["label"].map(FALSE)))
    assert (farthest(given, false) > 1e-6) == leaks
    assert farthest(given, load_file(toy[1].model / "model.safetensors")) > 1e-4


def farthest(one, other):
    """Return the largest difference of two models' weights."""
    return max(float((one[name] - other[name]).abs().max()) for name in one)
