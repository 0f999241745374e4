"""Distillation and what all adaptations share, on a tiny model."""

import logging
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file
from toy import LABELS, TRAINING, make_toy, predictions, run_stage, texts

from xstitch.core.errors import InputError
from xstitch.models.settings.transfer import DistillationSettings
from xstitch.models.transfer import distillation
from xstitch.models.transfer import improvements as improvement
from xstitch.models.transfer.attempts import MODEL, workplace
from xstitch.models.transfer.distillation import freeze_bottom, soft_loss
from xstitch.models.transfer.domains import Answers, answer_items, load_model, predict
from xstitch.models.transfer.improvements import Earlier, measure_improvements
from xstitch.models.transfer.shifts import prior_correction
from xstitch.models.transfer.stages import Stage, adapt
from xstitch.results.metrics import macro_f1_at_prior
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.loop import _Run


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Make an encoder and the transfer of a model that was fine-tuned from it."""
    return make_toy(tmp_path_factory.mktemp("toy"))


def test_soft_loss_by_hand():
    """softmax(0, 3 ln 3 / 3) = (1/4, 3/4) against (1/2, 1/2): mean square 1/16, times 9."""
    student, teacher = torch.tensor([[0.0, 3 * np.log(3)]]), torch.zeros(1, 2)
    assert soft_loss(student, teacher, 3.0).item() == pytest.approx(9 / 16)


def test_a_student_learns_its_teachers_answers(toy, tmp_path):
    even = replace(toy[1], target=texts(4, 200, [1 / 3] * 3, foreign=0.35))
    run_stage((toy[0], even), "distill", tmp_path, {"frozen_layers": 0, "source_weight": 0}, epochs=8)
    _, taught = predictions(even.model, even.target)
    _, learnt = predictions(tmp_path / "distill", even.target)
    assert np.bincount(taught).max() < 0.45 * len(taught)  # what a constant answer would reach
    assert np.mean(taught == learnt) > 0.5


def test_scores_are_indexed_by_item_number(toy):
    model, target = load_model(toy[1].model, toy[1].target), toy[1].domains()[1]
    scores = answer_items(model, target)
    assert len(scores) == len(target)
    alone = answer_items(model, target, np.array([7]))
    torch.testing.assert_close(alone[7], scores[7])
    assert alone[np.arange(len(target)) != 7].isnan().all()
    unseen = replace(target, gold=np.append(target.gold, 0))
    assert answer_items(model, unseen)[-1].isnan().all()
    gold, predicted = predict(model, unseen)
    assert gold.tolist() == target.gold.tolist()
    assert predicted.tolist() == scores.argmax(dim=1).tolist()


def test_a_student_is_taught_on_both_sides_and_by_source_labels():
    """By hand: the student is undecided, the teacher sure, the temperature 1 and the source weight 0.5."""
    sides = [Answers(*(torch.zeros(1, 2),) * 2, torch.tensor([label]), torch.tensor([1])) for label in (0, 1)]
    taught = {side: torch.tensor([[0.0, 0.0], [50.0, 0.0]]) for side in ("source", "target")}
    replies = iter(sides)
    settings = DistillationSettings(temperature=1, source_weight=0.5)
    loss = distillation._loss(None, taught, settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distillation, "answer", lambda *_: next(replies))
        assert loss({"source": {}, "target": {}}).item() == pytest.approx(0.25 + 0.5 * np.log(2))
    taught["source"][1] = 0  # the teacher is undecided on the source, too: half of the squared errors vanish
    replies = iter(sides)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distillation, "answer", lambda *_: next(replies))
        assert loss({"source": {}, "target": {}}).item() == pytest.approx(0.125 + 0.5 * np.log(2))


def test_frozen_layers_do_not_learn(toy):
    model = load_model(toy[0], toy[1].target, LABELS)
    freeze_bottom(model, 1)
    trained = {name for name, p in model.named_parameters() if p.requires_grad}
    assert not any("embeddings" in name or "layer.0." in name for name in trained)
    assert any("layer.1." in name for name in trained)
    with pytest.raises(InputError, match="frozen_layers is 2, but the encoder has 2 layers"):
        freeze_bottom(model, 2)


def test_a_student_keeps_its_frozen_layers(toy, tmp_path):
    run_stage(toy, "distill", tmp_path, {"frozen_layers": 1}, epochs=1)
    before, after = (load_file(folder / "model.safetensors") for folder in (toy[0], tmp_path / "distill"))
    before = {name.removeprefix("bert."): tensor for name, tensor in before.items()}
    after = {name.removeprefix("bert."): tensor for name, tensor in after.items()}
    encoder = [name for name in after if name in before and name.startswith(("embeddings", "encoder"))]
    frozen = [name for name in encoder if name.startswith(("embeddings", "encoder.layer.0."))]
    assert len(frozen) > 16 and all(torch.equal(before[name], after[name]) for name in frozen)
    learning = [name for name in set(encoder) - set(frozen) if name.endswith(".weight")]
    assert len(learning) >= 8 and all(not torch.equal(before[name], after[name]) for name in learning)


def sets(transfer):
    """Two target sets: ten texts of each class, then thirty of the first; their numbers are 4 and 7."""
    labels = transfer.target["label"]
    even = np.concatenate([np.flatnonzero(labels == label)[:10] for label in LABELS])
    return {4: even, 7: np.flatnonzero(labels == "a")[:30]}


ALIGNED = Stage("adversarial", {"hidden": 16}, {**TRAINING, "epochs": 1})


def improvements(toy, folder, stage=ALIGNED, earlier=None, steps=None):
    """Measure improvements on two target sets."""
    checkpoint = Checkpoint(folder, "x", steps=steps)
    return measure_improvements(toy[1], toy[1].target, stage, sets(toy[1]), 1, checkpoint, earlier)


def made(folder):
    """The models that a measurement made, in a folder by set."""
    models = folder / "made"
    models.mkdir()
    for number in (4, 7):
        (workplace(Checkpoint(folder, "x")) / str(number) / MODEL).rename(models / str(number))
    return models


@pytest.mark.parametrize("method", ["self-train", "distill"])
def test_a_later_stage_gives_what_both_in_turn_would_have_given(toy, tmp_path, method):
    later = Stage(method, {}, {**TRAINING, "epochs": 1}, student=toy[0])
    if method == "distill":
        later = replace(later, adaptation={"frozen_layers": 0})
    first = list(improvements(toy, tmp_path / "first"))
    second = list(improvements(toy, tmp_path / "second", later, Earlier(made(tmp_path / "first"), first)))
    for number, earlier_record, record in zip((4, 7), first, second, strict=True):
        rows = sets(toy[1])[number]
        transfer = replace(toy[1], target=toy[1].target.iloc[rows].reset_index(drop=True))
        adapt(ALIGNED, transfer, 1, tmp_path / f"{number}a")
        adapt(later, replace(transfer, model=tmp_path / f"{number}a"), 1, tmp_path / f"{number}b")
        prior = transfer.target["label"].value_counts(normalize=True).reindex(LABELS, fill_value=0)
        answers = predictions(tmp_path / f"{number}b", toy[1].target)
        expected = macro_f1_at_prior(*answers, prior.to_numpy())
        assert float(record["macro_f1"]) == pytest.approx(expected, abs=1e-6)
        # The weights are the first stage's, and so is the model that gains are measured against.
        same = ("set", "prior_shift", "zero_shot", "correction")
        assert [record[key] for key in same] == [earlier_record[key] for key in same]


def test_improvements_are_scored_at_the_prior_of_each_set(toy, tmp_path):
    first, second = improvements(toy, tmp_path)
    gold, predicted = predictions(toy[1].model, toy[1].target)
    # With one class alone, answers on other texts do not count and the F1 of the other classes is 0.
    recall = (predicted[gold == 0] == 0).mean()
    assert float(second["zero_shot"]) == pytest.approx(2 * recall / (1 + recall) / 3, abs=1e-6)
    source = toy[1].source["label"].value_counts(normalize=True)[list(LABELS)].to_numpy()
    assert float(second["prior_shift"]) == pytest.approx(1 - source[0], abs=1e-6)
    assert float(first["prior_shift"]) == pytest.approx(np.abs(source - 1 / 3).sum() / 2, abs=1e-6)
    for record in (first, second):
        gain = float(record["macro_f1"]) / float(record["zero_shot"]) - 1
        assert float(record["improvement"]) == pytest.approx(100 * gain, abs=0.01)
        assert float(record["correction"]) <= 1


def test_a_correction_is_that_of_the_last_estimate():
    """Against a truth of (.8, .1, .1) and an even source: 7/15 of all items moved, 1/10 in the end."""
    priors = np.array([[0.4, 0.3, 0.3], [0.75, 0.15, 0.1], [0.7, 0.2, 0.1]])
    log = pa.table({f"prior_{label}": priors[:, number] for number, label in enumerate(LABELS)})
    estimate = improvement._estimate(Stage("adversarial", {}, {}), log, LABELS)
    assert estimate == pytest.approx([0.7, 0.2, 0.1])
    truth, source = np.array([0.8, 0.1, 0.1]), np.full(3, 1 / 3)
    assert prior_correction(truth, source, estimate) == pytest.approx((7 / 15 - 1 / 10) / (7 / 15))


@pytest.mark.parametrize(("kind", "corrected"), [("estimated", True), ("oracle", False), ("none", False)])
def test_only_estimated_weights_correct_anything(kind, corrected):
    log = pa.table({f"prior_{label}": [0.5, 0.4] for label in LABELS})
    estimate = improvement._estimate(Stage("adversarial", {"weights": kind}, {}), log, LABELS)
    assert (estimate is not None) == corrected


@pytest.mark.parametrize(("killed_at", "steps"), [(5, 3), (23, 3)])
def test_a_killed_measurement_resumes_within_its_set(toy, tmp_path, caplog, monkeypatch, killed_at, steps):
    """A set takes 19 updates: the first or the second set is killed, after a checkpoint at every third."""
    undisturbed = list(improvements(toy, tmp_path / "undisturbed"))
    updates = _Run.update
    done = []

    def killed(run):
        if len(done) == killed_at:
            raise KeyboardInterrupt
        done.append(run)
        return updates(run)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(_Run, "update", killed)
        list(improvements(toy, tmp_path / "killed", steps=steps))
    caplog.clear()  # of what the runs above logged, if a test before this one had them log
    with caplog.at_level(logging.INFO, "xstitch"):
        assert list(improvements(toy, tmp_path / "killed", steps=steps)) == undisturbed
    assert "resumed at step 3 of 19" in caplog.text
    assert caplog.text.count("aligning: kept") == (2 if killed_at < 19 else 1)  # the finished set is kept
