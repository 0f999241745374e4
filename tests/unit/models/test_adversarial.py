"""Alignment of a tiny model to a language that shares two thirds of its words with the source."""

import json
import logging
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tiny import write_trainable
from toy import LABELS, LENGTH, TRAINING, make_toy, run_stage, score, texts

from xstitch.core.errors import InputError
from xstitch.models.classification import finetune_classifier
from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.stitching import stitch_model
from xstitch.models.transfer import adversarial
from xstitch.models.transfer.critic import conditioned
from xstitch.models.transfer.domains import Answers, PairedStream, load_model
from xstitch.models.transfer.importance import ImportanceWeights
from xstitch.models.transfer.shifts import conditional_shift, measure, total_variation
from xstitch.models.transfer.stages import Stage, adapt
from xstitch.models.transfer.statistics import RunningMeans, Statistics
from xstitch.models.transfer.task import Transfer
from xstitch.training.schedule import Schedule


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Make an encoder and the transfer of a model that was fine-tuned from it."""
    return make_toy(tmp_path_factory.mktemp("toy"))


def test_alignment_logs_every_step_and_keeps_weights_legal(toy, tmp_path):
    log = run_stage(toy, "adversarial", tmp_path, {"hidden": 64}).to_pandas()
    assert len(log) == 3 * 19  # batches of 16 in 300 texts
    assert (log["feature_shift"] > 0).all()  # figures read it by this name
    weights = log[[f"weight_{label}" for label in LABELS]].to_numpy()
    prior = toy[1].source["label"].value_counts(normalize=True)[list(LABELS)].to_numpy()
    assert weights.min() >= 0
    assert weights @ prior == pytest.approx(np.ones(len(log)), abs=1e-5)
    assert log[[f"prior_{label}" for label in LABELS]].to_numpy() == pytest.approx(weights * prior, abs=1e-5)
    assert log["strength"].iloc[0] == 0
    assert log["strength"].iloc[-1] == pytest.approx(5e-3)
    assert log.notna().all().all()
    assert (tmp_path / "adversarial" / "model.safetensors").is_file()


def test_class_weights_follow_their_kind(toy, tmp_path):
    """Estimated weights are near the truth, an oracle's are the truth, and without weights all are 1."""
    true = toy[1].target["label"].value_counts(normalize=True)[list(LABELS)].to_numpy()
    columns = [f"prior_{label}" for label in LABELS]
    settings = {"hidden": 64, "weights_learning_rate": 0.02}
    priors = {}
    for kind in ("estimated", "oracle", "none"):
        log = run_stage(toy, "adversarial", tmp_path, {**settings, "weights": kind}, epochs=1).to_pandas()
        priors[kind] = log[columns].iloc[-1].to_numpy()
    assert priors["oracle"] == pytest.approx(true, abs=1e-5)
    source = toy[1].source["label"].value_counts(normalize=True)[list(LABELS)].to_numpy()
    assert priors["none"] == pytest.approx(source, abs=1e-5)
    distance = {kind: np.abs(prior - true).sum() / 2 for kind, prior in priors.items()}
    assert distance["estimated"] < 0.8 * distance["none"]


def test_steps_of_the_critic_alone_leave_the_model_unchanged(toy, tmp_path):
    run_stage(toy, "adversarial", tmp_path, {"hidden": 64, "critic_steps": 1000}, epochs=1)
    before, after = (load_file(f / "model.safetensors") for f in (toy[1].model, tmp_path / "adversarial"))
    assert all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(("steps", "changed"), [(4, False), (5, True)])
def test_the_model_changes_with_the_first_joint_step(toy, tmp_path, steps, changed):
    run_stage(toy, "adversarial", tmp_path, {"hidden": 64, "critic_steps": 4}, epochs=None, steps=steps)
    before, after = (load_file(f / "model.safetensors") for f in (toy[1].model, tmp_path / "adversarial"))
    assert any(not torch.equal(before[name], after[name]) for name in before) == changed


def test_languages_may_have_embeddings_of_their_own(toy, tmp_path):
    """A stitched model has rows for target words that the source's tokenizer does not know."""
    words = sorted({word for text in toy[1].target["text"] for word in text.split()})
    rows = np.random.default_rng(1).normal(scale=0.05, size=(len(words), 32)).astype(np.float32)
    stitch_model(toy[1].model, words, rows, tmp_path / "stitched")
    stitched = replace(toy[1], model=tmp_path / "stitched", source_model=toy[1].model)
    stage = Stage("adversarial", {"hidden": 16}, {**TRAINING, "epochs": None, "steps": 4})
    log = adapt(stage, stitched, 1, tmp_path / "adapted").to_pandas()
    # The source is read with its own table, on which the model was fine-tuned: the first loss is already low.
    assert log["source_loss"].iloc[0] < 0.5
    assert (
        len(load_model(tmp_path / "adapted", toy[1].target).get_input_embeddings().weight) == len(words) + 5
    )


@pytest.fixture(scope="module")
def shifted(toy, tmp_path_factory):
    """Return macro-F1, feature shift and priors after adapting under a large prior shift, by kind of weights.

    The key None is the model before adaptation. Half of the target's words are foreign, and three quarters of
    its texts are of one class.
    """
    prior = [0.75, 0.15, 0.1]
    target, test = texts(3, 300, prior, foreign=0.5), texts(5, 300, prior, foreign=0.5)
    folder = tmp_path_factory.mktemp("shifted")
    encoder = write_trainable(folder / "encoder", [*toy[1].source["text"], *target["text"]])
    schedule = Schedule(**{**TRAINING, "epochs": 12}, seed=1)
    finetune_classifier(
        encoder, toy[1].source, texts(2, 60, [1 / 3] * 3), LABELS, schedule, LENGTH, folder / "model"
    )
    transfer = replace(toy[1], model=folder / "model", target=target)
    results = {None: (score(transfer.model, test), feature_shift(transfer, test), None)}
    for weights in ("estimated", "oracle", "none"):
        settings = {"weights": weights, "strength": 0.3, "hidden": 64, "critic_learning_rate": 1e-3}
        settings |= {"weights_learning_rate": 0.01, "momentum": 0.05}
        training = {**TRAINING, "epochs": 6, "learning_rate": 5e-4, "warmup": 0.1}
        output = folder / weights
        log = adapt(Stage("adversarial", settings, training), transfer, 1, output).to_pandas()
        priors = log[[f"prior_{label}" for label in LABELS]].iloc[-1].to_numpy()
        adapted = replace(transfer, model=output)
        results[weights] = score(output, test), feature_shift(adapted, test), priors
    return results


def feature_shift(transfer, test):
    """Return the conditional feature shift of the last layer's [CLS]."""
    sums = [
        measure(transfer.model, side, LABELS, LENGTH, [np.arange(len(side))])[1].sums["cls"][0]
        for side in (transfer.source, test)
    ]
    return conditional_shift(*sums)[-1]


def test_under_prior_shift_weighted_alignment_helps_and_unweighted_alignment_harms(shifted):
    """True weights are tested most strictly: how much estimated ones help depends on the seed."""
    assert shifted["oracle"][0] > shifted[None][0] + 0.05
    assert shifted["none"][0] < shifted[None][0] - 0.02
    assert shifted["oracle"][0] > shifted["none"][0] + 0.15
    assert shifted["estimated"][0] > shifted["none"][0] + 0.02


def test_weighted_alignment_lowers_conditional_feature_shift(shifted):
    assert shifted["oracle"][1] < 0.9 * shifted[None][1]
    assert shifted["oracle"][1] < 0.7 * shifted["none"][1]


def test_estimated_priors_are_closer_to_the_truth_than_even_ones(shifted):
    true = np.array([0.75, 0.15, 0.1])
    assert total_variation(shifted["estimated"][2], true) < 0.6 * total_variation(np.full(3, 1 / 3), true)


def test_the_first_weights_are_solved_and_pulled_towards_one():
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])  # source predictions by labels, with an even prior
    predicted = joint @ np.array([0.4, 1.6])  # so these are the weights
    settings = AdversarialSettings(caution=0.25)
    first = adversarial.first_weights(joint, predicted, np.array([1, 0]), settings)
    assert first == pytest.approx([0.75 * 0.4 + 0.25, 0.75 * 1.6 + 0.25])
    oracle = replace(settings, weights="oracle")
    assert adversarial.first_weights(joint, predicted, np.array([1, 3]), oracle) == pytest.approx([0.5, 1.5])
    unweighted = replace(settings, weights="none")
    assert adversarial.first_weights(joint, predicted, np.array([1, 0]), unweighted).tolist() == [1, 1]


@pytest.mark.parametrize("schedule", ["constant", "linear"])
def test_critic_and_weights_have_their_own_learning_rates(schedule):
    settings = AdversarialSettings(
        critic_learning_rate=0.3, critic_decay=0.07, critic_schedule=schedule, weights_learning_rate=0.2
    )
    weights = ImportanceWeights(np.eye(2) / 2, np.full(2, 0.5), np.array([0.5, 1.5]), 0.1)
    root = torch.nn.ModuleDict(
        {"model": torch.nn.Linear(2, 2), "critic": torch.nn.Linear(2, 1), "weights": weights}
    )
    optimiser = adversarial._optimiser(settings)(root, Schedule(learning_rate=0.1, steps=1))
    critic, of_weights = optimiser.param_groups[-2:]
    assert (critic["peak"], critic["weight_decay"]) == (0.3, 0.07)
    assert critic["constant"] == (schedule == "constant")
    assert (of_weights["peak"], of_weights["weight_decay"]) == (0.2, 2.0)
    assert of_weights["params"] == [weights.offset]
    # Without a gradient only decay acts: it pulls the weights to their start, not to 0 or 1.
    weights.offset.data = torch.tensor([1.0, -1.0], dtype=torch.float64)
    weights.offset.grad = torch.zeros_like(weights.offset)
    of_weights["lr"] = 0.2
    optimiser.step()
    assert weights.weights.tolist() == pytest.approx([0.5 + 0.6, 1.5 - 0.6])


def test_estimated_weights_are_trained(toy, tmp_path):
    log = run_stage(toy, "adversarial", tmp_path, {"hidden": 16, "weights_learning_rate": 0.05}).to_pandas()
    columns = [f"weight_{label}" for label in LABELS]
    assert np.abs(log[columns].iloc[-1] - log[columns].iloc[0]).max() > 0.01
    fixed = run_stage(toy, "adversarial", tmp_path, {"hidden": 16, "weights": "oracle"}).to_pandas()
    assert (fixed[columns].iloc[-1] == fixed[columns].iloc[0]).all()


def test_the_critic_weighs_source_items_by_their_labels(toy, monkeypatch):
    """By their labels, not by their predictions: the gap of the first batch is computed by hand."""
    transfer = toy[1]
    source, target = transfer.domains()
    batch = {"source": source.collate(np.arange(4)), "target": target.collate(np.arange(4))}
    given = torch.tensor([[0, 9.0, 0]] * 4)  # "b" is predicted throughout
    weights = ImportanceWeights(np.eye(3) / 3, np.full(3, 1 / 3), np.array([0.5, 1.0, 1.5]), 0.1)
    log = adversarial.StepLog([str(number) for number in range(14)], 1)
    modules = {"model": None, "critic": torch.nn.Linear(6, 1), "weights": weights, "log": log}
    modules["means"] = RunningMeans([torch.ones(3, 3)] * 2, [1, 1], 0.1)
    monkeypatch.setattr(adversarial, "answer", lambda _, side, *__: answers(given, side))
    adversarial._alignment_loss(modules, AdversarialSettings(weights_warmup=0))(batch)
    inputs = conditioned(torch.ones(4, 2), given.softmax(dim=1))
    scores = modules["critic"](inputs)[:, 0]
    by_label = torch.tensor([0.5, 1.0, 1.5])[batch["source"]["labels"]]
    expected = (by_label * scores).mean() - scores.mean()
    assert log.values[0, 2].item() == pytest.approx(expected.item(), abs=1e-6)


def answers(logits, side):
    """Make the answers of a model with constant features for a batch."""
    return Answers(torch.ones(len(logits), 2), logits, side["labels"], side["items"])


def test_the_source_is_told_apart_by_labels_and_the_target_by_predictions(toy, tmp_path, monkeypatch):
    class StopError(Exception):
        pass

    measured = []

    def measure_start(model, domain, number, classes, table=None):  # noqa: ARG001 (the library's signature)
        measured.append(classes)
        if len(measured) == 2:
            raise StopError

    monkeypatch.setattr(adversarial, "measure_start", measure_start)
    with pytest.raises(StopError):
        run_stage(toy, "adversarial", tmp_path, {"hidden": 16})
    assert measured == ["gold", "predicted"]


def test_statistics_start_as_those_of_an_average_batch():
    # 16 source items in 2 batches, 8 target items in 4: 8 and 2 per batch.
    source = Statistics(np.array([[6, 2], [2, 6]]), torch.ones(2, 3))
    target = Statistics(np.array([[4, 2], [1, 1]]), torch.ones(2, 3))
    stream = PairedStream(SizedStream(2), SizedStream(4))
    schedule, settings = Schedule(learning_rate=1e-3, steps=3), AdversarialSettings(hidden=4)
    weights = adversarial._helpers((source, target), ("a", "b"), settings, stream, schedule)["weights"]
    assert weights.joint.tolist() == [[3, 1], [1, 3]]
    assert weights.predicted.tolist() == [1.5, 0.5]


class SizedStream:
    """A stream of which only the number of batches is asked for."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size


def test_running_means_follow_each_language_by_its_own_batches():
    """After 100 source batches and one target batch, the target moves by 10: a hundredth of that is seen."""
    few = Answers(torch.zeros(2, 1), torch.zeros(2, 1), torch.zeros(2, dtype=int), torch.arange(2))
    start = torch.tensor([[0.0, 200.0]]), torch.tensor([[0.0, 2.0]])  # features 0 of 200 items and of 2
    means = RunningMeans(start, [100, 1], 0.01)
    means.observe(few, replace(few, features=torch.full((2, 1), 10.0)))
    assert means.shift().item() == pytest.approx(0.1)


def test_a_run_is_also_scored_before_its_first_step(toy, tmp_path):
    watched = replace(toy[1], watched=toy[1].target)
    adapt(Stage("adversarial", {"hidden": 16}, {**TRAINING, "epochs": 1}), watched, 1, tmp_path / "adapted")
    records = json.loads((tmp_path / "adapted/xstitch.json").read_text())["history"]["records"]
    assert [record["step"] for record in records] == [0, 19]
    assert records[0]["metric"] == pytest.approx(score(toy[1].model, toy[1].target))


def test_critic_steps_and_accumulation_exclude_each_other(toy, tmp_path):
    with pytest.raises(InputError, match="critic_steps need accumulation: 1"):
        run_stage(toy, "adversarial", tmp_path, {"critic_steps": 4}, accumulation=2)


def test_a_class_without_source_texts_has_weight_zero(toy, tmp_path, caplog):
    source = toy[1].source
    known = Transfer(toy[1].model, source[source["label"] != "c"], toy[1].target, LABELS, LENGTH)
    stage = Stage("adversarial", {"hidden": 16}, {**TRAINING, "epochs": None, "steps": 3})
    with caplog.at_level(logging.WARNING, logger="xstitch"):
        log = adapt(stage, known, 1, tmp_path / "without").to_pandas()
    assert (log["weight_c"] == 0).all()
    assert np.isfinite(log.to_numpy()).all()
    assert "weight 0" in caplog.text
