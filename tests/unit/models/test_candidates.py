"""A choice among candidates: by the source's development texts, resumable."""

import logging
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file
from toy import TRAINING, make_toy, score

from xstitch.core.errors import InputError
from xstitch.models.transfer import candidates
from xstitch.models.transfer.attempts import MODEL
from xstitch.models.transfer.candidates import adapt_with_best, source_score
from xstitch.models.transfer.stages import Stage, adapt
from xstitch.training.checkpoints import Checkpoint


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Make an encoder and the transfer of a model that was fine-tuned from it."""
    return make_toy(tmp_path_factory.mktemp("toy"))


def test_a_stage_has_a_combination_for_every_choice_of_candidates():
    stage = Stage("self-train", {"share": 0.5}, {"epochs": 1}, {"learning_rate": [1, 2], "share": [0.1]})
    assert stage.combinations() == [{"learning_rate": 1, "share": 0.1}, {"learning_rate": 2, "share": 0.1}]
    settled = stage.settled(stage.combinations()[1])
    assert (settled.training, settled.adaptation) == ({"epochs": 1, "learning_rate": 2}, {"share": 0.1})
    assert settled.combinations() == [{}]


def test_the_best_rate_on_the_sources_development_texts_is_chosen(toy, tmp_path, caplog):
    """At a rate of 1e-7 a student learns nothing; the model is the one that the better rate alone gives."""
    training = {"batch_size": 16, "epochs": 6, "clip": None}
    stage = partial(Stage, "distill", {"frozen_layers": 0}, training, student=toy[0])
    with caplog.at_level(logging.INFO, "xstitch"):
        log = adapt(stage(candidates={"learning_rate": [1e-7, 1e-3, 2e-7]}), toy[1], 1, tmp_path / "best")
    alone = adapt(stage(candidates={"learning_rate": [1e-3]}), toy[1], 1, tmp_path / "alone")
    assert log.column("loss").to_pylist() == pytest.approx(alone.column("loss").to_pylist())
    one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("best", "alone"))
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)
    assert caplog.text.count("on the source's development texts") == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "best"]


def test_candidates_are_scored_on_the_sources_development_texts(toy):
    transfer = toy[1]
    assert source_score(transfer.model, transfer) == pytest.approx(score(transfer.model, transfer.source_dev))
    assert source_score(transfer.model, transfer) != pytest.approx(score(transfer.model, transfer.target))
    with pytest.raises(InputError, match="candidates are compared on development texts, but there are none"):
        source_score(transfer.model, replace(transfer, source_dev=None))


class Attempts:
    """Adaptations that only note their value; one of them is killed once."""

    def __init__(self, killed=None):
        self.values, self.killed = [], killed

    def __call__(self, values, folder, _):
        self.values.append(values["share"])
        if values["share"] == self.killed:
            raise KeyboardInterrupt
        folder.mkdir(parents=True)
        (folder / "value").write_text(str(values["share"]))
        return pa.table({"step": [values["share"]]})


@pytest.mark.parametrize(("fingerprint", "again"), [("x", [2, 3]), ("other inputs", [1, 2, 3])])
def test_a_killed_choice_keeps_the_finished_candidates_of_the_same_run(
    tmp_path, monkeypatch, fingerprint, again
):
    scores = {"1": 0.5, "2": 0.75, "3": 0.75}
    monkeypatch.setattr(candidates, "source_score", lambda model, _: scores[(model / "value").read_text()])
    shares = [{"share": share} for share in (1, 2, 3)]
    checkpoint, output = Checkpoint(tmp_path / "checkpoint", "x"), tmp_path / "output"
    killed = Attempts(killed=2)
    with pytest.raises(KeyboardInterrupt):
        adapt_with_best(shares, killed, None, output, checkpoint)
    assert killed.values == [1, 2] and not output.exists()
    resumed = Attempts()
    log = adapt_with_best(shares, resumed, None, output, replace(checkpoint, fingerprint=fingerprint))
    assert resumed.values == again
    # Of equal candidates the first wins.
    assert log.column("step").to_pylist() == [2] and (output / "value").read_text() == "2"
    assert not checkpoint.folder.exists() and MODEL not in {path.name for path in output.iterdir()}


def test_one_candidate_is_not_compared(toy, tmp_path):
    stage = Stage("self-train", {}, {**TRAINING, "epochs": None, "steps": 1}, {"share": [0.1]})
    adapt(stage, replace(toy[1], source_dev=None), 1, tmp_path / "adapted")
    assert (tmp_path / "adapted" / "model.safetensors").is_file()
