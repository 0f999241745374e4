"""Adaptation of a tiny model to a language that shares two thirds of its words with the source."""

import json
import logging
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from tiny import write_trainable

from xstitch.core.errors import InputError
from xstitch.models.classification import finetune_classifier
from xstitch.models.settings.transfer import AdversarialSettings, DistillationSettings
from xstitch.models.stitching import stitch_model
from xstitch.models.transfer import adversarial, distillation
from xstitch.models.transfer.critic import conditioned
from xstitch.models.transfer.distillation import freeze_bottom, soft_loss
from xstitch.models.transfer.domains import Answers, answer_all, answer_items, load_domain, load_model
from xstitch.models.transfer.importance import ImportanceWeights
from xstitch.models.transfer.improvements import measure_improvements
from xstitch.models.transfer.self_training import PseudoStream, choose_sure, example_sureness
from xstitch.models.transfer.shifts import conditional_shift, measure, total_variation
from xstitch.models.transfer.stages import Stage, adapt, adapt_in_stages
from xstitch.models.transfer.task import Transfer, tagging_steps
from xstitch.results.metrics import macro_f1
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.schedule import Schedule

LABELS = ("a", "b", "c")
LENGTH = 16
TRAINING = {"learning_rate": 1e-3, "batch_size": 16, "epochs": 3, "clip": None}


def texts(seed, count, prior, foreign=0.0):
    """Make texts of five words, four of them of the text's class; a foreign word has a different spelling."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(3, size=count, p=prior)
    rows = []
    for label in labels:
        classes = [*[label] * 4, rng.integers(3)]
        words = [f"{LABELS[c]}{rng.integers(4)}" for c in classes]
        spelled = [f"x{word}" if rng.random() < foreign else word for word in words]
        rows.append(" ".join(rng.permutation(spelled)))
    return pd.DataFrame({"text": rows, "label": [LABELS[label] for label in labels]})


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Make an encoder, a model fine-tuned from it, and data of both languages; the target's is skewed."""
    folder = tmp_path_factory.mktemp("toy")
    source, dev = texts(1, 300, [1 / 3] * 3), texts(2, 60, [1 / 3] * 3)
    target = texts(3, 200, [0.7, 0.2, 0.1], foreign=0.35)
    encoder = write_trainable(folder / "encoder", [*source["text"], *target["text"]])
    schedule = Schedule(**{**TRAINING, "epochs": 12}, seed=1)
    finetune_classifier(encoder, source, dev, LABELS, schedule, LENGTH, folder / "model")
    return encoder, Transfer(folder / "model", source, target, LABELS, LENGTH)


def predictions(folder, examples):
    answered = answer_all(load_model(folder, examples), load_domain(folder, examples, LABELS, LENGTH))
    return answered.gold.numpy(), answered.logits.argmax(dim=1).numpy()


def score(folder, examples):
    return macro_f1(*predictions(folder, examples), range(3))


def run(toy, method, tmp_path, adaptation, **training):
    stage = Stage(method, adaptation, {**TRAINING, **training}, student=toy[0])
    return adapt(stage, toy[1], 1, tmp_path / method)


def test_alignment_logs_every_step_and_keeps_weights_legal(toy, tmp_path):
    log = run(toy, "adversarial", tmp_path, {"hidden": 64}).to_pandas()
    assert len(log) == 3 * 19  # batches of 16 in 300 texts
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
        log = run(toy, "adversarial", tmp_path, {**settings, "weights": kind}, epochs=1).to_pandas()
        priors[kind] = log[columns].iloc[-1].to_numpy()
    assert priors["oracle"] == pytest.approx(true, abs=1e-5)
    source = toy[1].source["label"].value_counts(normalize=True)[list(LABELS)].to_numpy()
    assert priors["none"] == pytest.approx(source, abs=1e-5)
    distance = {kind: np.abs(prior - true).sum() / 2 for kind, prior in priors.items()}
    assert distance["estimated"] < 0.8 * distance["none"]


def test_steps_of_the_critic_alone_leave_the_model_unchanged(toy, tmp_path):
    run(toy, "adversarial", tmp_path, {"hidden": 64, "critic_steps": 1000}, epochs=1)
    before, after = (load_file(f / "model.safetensors") for f in (toy[1].model, tmp_path / "adversarial"))
    assert all(torch.equal(before[name], after[name]) for name in before)


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


def test_the_first_weights_are_solved_and_pulled_towards_one():
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])  # source predictions by labels, with an even prior
    predicted = joint @ np.array([0.4, 1.6])  # so these are the weights
    settings = AdversarialSettings(caution=0.25)
    first = adversarial._first_weights(joint, predicted, np.array([0]), settings)
    assert first == pytest.approx([0.75 * 0.4 + 0.25, 0.75 * 1.6 + 0.25])
    oracle = replace(settings, weights="oracle")
    assert adversarial._first_weights(joint, predicted, np.array([0, 1, 1, 1]), oracle) == pytest.approx(
        [0.5, 1.5]
    )
    unweighted = replace(settings, weights="none")
    assert adversarial._first_weights(joint, predicted, np.array([0]), unweighted).tolist() == [1, 1]


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
    log = run(toy, "adversarial", tmp_path, {"hidden": 16, "weights_learning_rate": 0.05}).to_pandas()
    columns = [f"weight_{label}" for label in LABELS]
    assert np.abs(log[columns].iloc[-1] - log[columns].iloc[0]).max() > 0.01
    fixed = run(toy, "adversarial", tmp_path, {"hidden": 16, "weights": "oracle"}).to_pandas()
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
    modules["means"] = adversarial.RunningMeans(*(answers(given, batch["source"]),) * 2, 3, [1, 1], 0.1)
    monkeypatch.setattr(adversarial, "answer", lambda _, side, *__: answers(given, side))
    adversarial._alignment_loss(modules, AdversarialSettings())(batch)
    inputs = conditioned(torch.ones(4, 2), given.softmax(dim=1))
    scores = modules["critic"](inputs)[:, 0]
    by_label = torch.tensor([0.5, 1.0, 1.5])[batch["source"]["labels"]]
    expected = (by_label * scores).mean() - scores.mean()
    assert log.values[0, 2].item() == pytest.approx(expected.item(), abs=1e-6)


def answers(logits, side):
    """Make the answers of a model with constant features for a batch."""
    return Answers(torch.ones(len(logits), 2), logits, side["labels"], side["items"])


def test_running_means_follow_each_language_by_its_own_batches():
    """After 100 source batches and one target batch, the target moves by 10: a hundredth of that is seen."""
    many = Answers(torch.zeros(200, 1), torch.zeros(200, 1), torch.zeros(200, dtype=int), torch.arange(200))
    few = Answers(torch.zeros(2, 1), torch.zeros(2, 1), torch.zeros(2, dtype=int), torch.arange(2))
    means = adversarial.RunningMeans(many, few, 1, [100, 1], 0.01)
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
        run(toy, "adversarial", tmp_path, {"critic_steps": 4}, accumulation=2)


def test_frozen_layers_do_not_learn(toy):
    model = load_model(toy[0], toy[1].target, LABELS)
    freeze_bottom(model, 1)
    trained = {name for name, p in model.named_parameters() if p.requires_grad}
    assert not any("embeddings" in name or "layer.0." in name for name in trained)
    assert any("layer.1." in name for name in trained)
    with pytest.raises(InputError, match="frozen_layers is 2, but the encoder has 2 layers"):
        freeze_bottom(model, 2)


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


def test_a_killed_measurement_resumes_at_the_next_set(toy, tmp_path, caplog):
    undisturbed = list(improvements(toy, tmp_path / "undisturbed"))
    killed = improvements(toy, tmp_path / "killed")
    next(killed)
    killed.close()
    with caplog.at_level(logging.INFO, "xstitch"):
        assert list(improvements(toy, tmp_path / "killed")) == undisturbed
    assert "resumed at set 2 of 2" in caplog.text


@pytest.mark.parametrize(
    ("sentences", "length", "steps"), [(12152, 1.1743, 7135), (8323, 2.1833, 9086), (15806, 0.8799, 6954)]
)
def test_tagging_takes_the_papers_number_of_steps(sentences, length, steps):
    schedule = Schedule(learning_rate=1e-5, batch_size=8, epochs=4)
    assert tagging_steps(schedule, sentences, length) == pytest.approx(steps, abs=1)


def test_only_tagging_scales_its_steps(toy):
    schedule = Schedule(learning_rate=1e-5, batch_size=2, epochs=1)
    assert toy[1].scaled(schedule) == schedule
    words = {"source": [["a", "b"]] * 4, "target": [["a", "b", "c"]] * 6}
    sides = {side: pd.DataFrame({"words": rows, "tags": rows}) for side, rows in words.items()}
    scaled = Transfer(toy[1].model, **sides, labels=LABELS, max_length=LENGTH).scaled(schedule)
    assert (scaled.steps, scaled.epochs) == (round(6 / 2 * 3 / 2), None)


def test_a_class_without_source_texts_has_weight_zero(toy, tmp_path, caplog):
    source = toy[1].source
    known = Transfer(toy[1].model, source[source["label"] != "c"], toy[1].target, LABELS, LENGTH)
    stage = Stage("adversarial", {"hidden": 16}, {**TRAINING, "epochs": None, "steps": 3})
    with caplog.at_level(logging.WARNING, logger="xstitch"):
        log = adapt(stage, known, 1, tmp_path / "without").to_pandas()
    assert (log["weight_c"] == 0).all()
    assert np.isfinite(log.to_numpy()).all()
    assert "weight 0" in caplog.text


def test_sureness_of_a_sentence_is_that_of_its_words(toy):
    examples = pd.DataFrame({"words": [["a0", "b0"], ["c0"]], "tags": [["a", "b"], ["c"]]})
    domain = load_domain(toy[0], examples, LABELS, LENGTH)
    answers = np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.6, 0.3, 0.1]])
    sureness = example_sureness(domain, np.arange(3), answers)
    # The first sentence supports b (0.9 in total) with a mean sureness of 0.85; the second supports no name.
    assert sureness == pytest.approx(np.array([[0, 0.85, 0], [0.6, 0, 0]]))
