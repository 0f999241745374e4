"""Distillation, self-training and what all adaptations share, on a tiny model."""

import logging
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file
from toy import LABELS, LENGTH, TRAINING, make_toy, predictions, score, texts

from xstitch.core.errors import InputError
from xstitch.models.settings.transfer import DistillationSettings
from xstitch.models.transfer import distillation
from xstitch.models.transfer import improvements as improvement
from xstitch.models.transfer.distillation import freeze_bottom, soft_loss
from xstitch.models.transfer.domains import Answers, answer_all, answer_items, load_domain, load_model
from xstitch.models.transfer.improvements import measure_improvements
from xstitch.models.transfer.self_training import PseudoStream, choose_sure, example_sureness
from xstitch.models.transfer.shifts import prior_correction
from xstitch.models.transfer.stages import Stage, adapt, adapt_in_stages
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import Schedule


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Make an encoder and the transfer of a model that was fine-tuned from it."""
    return make_toy(tmp_path_factory.mktemp("toy"))


def run(toy, method, tmp_path, adaptation, **training):
    stage = Stage(method, adaptation, {**TRAINING, **training}, student=toy[0])
    return adapt(stage, toy[1], 1, tmp_path / method)


def test_soft_loss_by_hand():
    """softmax(0, 3 ln 3 / 3) = (1/4, 3/4) against (1/2, 1/2): mean square 1/16, times 9."""
    student, teacher = torch.tensor([[0.0, 3 * np.log(3)]]), torch.zeros(1, 2)
    assert soft_loss(student, teacher, 3.0).item() == pytest.approx(9 / 16)


def test_a_student_learns_its_teachers_answers(toy, tmp_path):
    even = replace(toy[1], target=texts(4, 200, [1 / 3] * 3, foreign=0.35))
    run((toy[0], even), "distill", tmp_path, {"frozen_layers": 0, "source_weight": 0}, epochs=8)
    _, taught = predictions(even.model, even.target)
    _, learnt = predictions(tmp_path / "distill", even.target)
    assert np.bincount(taught).max() < 0.45 * len(taught)  # what a constant answer would reach
    assert np.mean(taught == learnt) > 0.5


def test_scores_are_indexed_by_item_number(toy):
    model, target = load_model(toy[1].model, toy[1].target), toy[1].domains()[1]
    answered, scores = answer_all(model, target), answer_items(model, target)
    assert len(scores) == len(target)
    torch.testing.assert_close(scores[answered.items], answered.logits)
    unseen = replace(target, gold=np.append(target.gold, 0))
    assert answer_items(model, unseen)[-1].isnan().all()


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
    run(toy, "distill", tmp_path, {"frozen_layers": 1}, epochs=1)
    before, after = (load_file(folder / "model.safetensors") for folder in (toy[0], tmp_path / "distill"))
    before = {name.removeprefix("bert."): tensor for name, tensor in before.items()}
    after = {name.removeprefix("bert."): tensor for name, tensor in after.items()}
    encoder = [name for name in after if name in before and name.startswith(("embeddings", "encoder"))]
    frozen = [name for name in encoder if name.startswith(("embeddings", "encoder.layer.0."))]
    assert len(frozen) > 16 and all(torch.equal(before[name], after[name]) for name in frozen)
    learning = [name for name in set(encoder) - set(frozen) if name.endswith(".weight")]
    assert len(learning) >= 8 and all(not torch.equal(before[name], after[name]) for name in learning)


def test_the_surest_of_each_class_are_chosen():
    probabilities = np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2], [0.3, 0.7], [0.45, 0.55]])
    assert choose_sure(probabilities, 4).tolist() == [0, 2, 3, 4]
    assert choose_sure(probabilities, 2).tolist() == [0, 3]


def pseudo_stream(transfer, choices):
    """Make a stream of batches of two whose rounds take `choices` in turn, all with the label 1."""
    source, target = transfer.domains()
    labels = np.ones(len(target), dtype=np.int64)
    rounds = iter(choices)
    schedule = Schedule(learning_rate=1, batch_size=2, steps=1, seed=1)
    return PseudoStream(target, source.stream(schedule), lambda: (np.array(next(rounds)), labels), schedule)


def test_a_round_of_self_training_may_choose_the_same_examples_again(toy):
    stream = pseudo_stream(toy[1], [[3, 5, 8], [5, 8, 9]])
    batches = [next(stream)["target"] for _ in range(4)]
    seen = [batch["items"].tolist() for batch in batches]
    assert sorted(seen[0] + seen[1]) == [3, 5, 8]
    assert sorted(seen[2] + seen[3]) == [5, 8, 9]
    assert all(set(batch["labels"].tolist()) == {1} for batch in batches)


def test_a_resumed_round_of_self_training_keeps_its_choice(toy):
    stream = pseudo_stream(toy[1], [[3, 5, 8]])
    first, position = next(stream), stream.position()
    resumed = pseudo_stream(toy[1], [])
    resumed.restore(position)
    rest, expected = next(resumed), next(stream)
    assert rest["target"]["items"].tolist() == expected["target"]["items"].tolist()
    assert rest["source"]["items"].tolist() == expected["source"]["items"].tolist()
    assert sorted(first["target"]["items"].tolist() + rest["target"]["items"].tolist()) == [3, 5, 8]


def test_self_training_improves_on_foreign_words(toy, tmp_path):
    even = replace(toy[1], target=texts(4, 200, [1 / 3] * 3, foreign=0.6))
    stage = Stage("self-train", {"share": 0.1}, {**TRAINING, "epochs": 2, "learning_rate": 5e-4})
    adapt(stage, even, 1, tmp_path / "adapted")
    assert score(tmp_path / "adapted", even.target) > score(toy[1].model, even.target)


def test_self_training_withstands_prior_shift(toy, tmp_path):
    """If no example could be chosen twice, the least sure would be learnt: from 0.91 down to 0.66."""
    run(toy, "self-train", tmp_path, {"share": 0.1}, epochs=2, learning_rate=5e-4)
    assert score(tmp_path / "self-train", toy[1].target) > score(toy[1].model, toy[1].target) - 0.1


def test_stages_run_in_turn(toy, tmp_path):
    stages = [
        Stage("adversarial", {"hidden": 64}, {**TRAINING, "epochs": 1}),
        Stage("self-train", {"share": 0.1}, {**TRAINING, "epochs": 1}),
    ]
    logs = adapt_in_stages(stages, toy[1], 1, tmp_path / "both")
    assert list(logs) == ["adversarial", "self-train"]
    assert [path.name for path in tmp_path.iterdir()] == ["both"]


def improvements(toy, folder):
    """Measure improvements on two target sets: ten texts of each class, then thirty of the first."""
    transfer = toy[1]
    labels = transfer.target["label"]
    even = np.concatenate([np.flatnonzero(labels == label)[:10] for label in LABELS])
    sets = [even, np.flatnonzero(labels == "a")[:30]]
    stage = Stage("adversarial", {"hidden": 16}, {**TRAINING, "epochs": 1})
    return measure_improvements(transfer, transfer.target, [stage], sets, 1, Checkpoint(folder, "x"))


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


@pytest.mark.parametrize("methods", [["adversarial"], ["adversarial", "distill"]])
def test_a_correction_is_that_of_the_last_estimate(methods):
    """Against a truth of (.8, .1, .1) and an even source: 7/15 of all items moved, 1/10 in the end."""
    stages = [Stage(method, {}, {}) for method in methods]
    priors = np.array([[0.4, 0.3, 0.3], [0.75, 0.15, 0.1], [0.7, 0.2, 0.1]])
    log = pa.table({f"prior_{label}": priors[:, number] for number, label in enumerate(LABELS)})
    estimate = improvement._estimate(stages, {"adversarial": log}, LABELS)
    assert estimate == pytest.approx([0.7, 0.2, 0.1])
    truth, source = np.array([0.8, 0.1, 0.1]), np.full(3, 1 / 3)
    assert prior_correction(truth, source, estimate) == pytest.approx((7 / 15 - 1 / 10) / (7 / 15))


@pytest.mark.parametrize(("kind", "corrected"), [("estimated", True), ("oracle", False), ("none", False)])
def test_only_estimated_weights_correct_anything(kind, corrected):
    log = pa.table({f"prior_{label}": [0.5, 0.4] for label in LABELS})
    estimate = improvement._estimate(
        [Stage("adversarial", {"weights": kind}, {})], {"adversarial": log}, LABELS
    )
    assert (estimate is not None) == corrected


def test_a_killed_measurement_resumes_at_the_next_set(toy, tmp_path, caplog):
    undisturbed = list(improvements(toy, tmp_path / "undisturbed"))
    killed = improvements(toy, tmp_path / "killed")
    next(killed)
    killed.close()
    with caplog.at_level(logging.INFO, "xstitch"):
        assert list(improvements(toy, tmp_path / "killed")) == undisturbed
    assert "resumed at set 2 of 2" in caplog.text


def test_sureness_of_a_sentence_is_that_of_its_words(toy):
    examples = pd.DataFrame({"words": [["a0", "b0"], ["c0"]], "tags": [["a", "b"], ["c"]]})
    domain = load_domain(toy[0], examples, LABELS, LENGTH)
    answers = np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.6, 0.3, 0.1]])
    sureness = example_sureness(domain, np.arange(3), answers)
    # The first sentence supports b (0.9 in total) with a mean sureness of 0.85; the second supports no name.
    assert sureness == pytest.approx(np.array([[0, 0.85, 0], [0.6, 0, 0]]))
