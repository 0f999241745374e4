"""The critic that a model would have: it learns alone, and what it tells the model has the right sign."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from toy import LABELS, LENGTH, make_toy

from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.transfer.domains import answer, load_domain, load_model, predict
from xstitch.models.transfer.importance import solve_weights
from xstitch.models.transfer.trained_critic import critic_objective
from xstitch.training.devices import without_dropout
from xstitch.training.schedule import Schedule

SETTINGS = AdversarialSettings(strength=0.5, hidden=32, critic_learning_rate=3e-3, weights="none")
SCHEDULE = Schedule(learning_rate=1e-3, batch_size=64, epochs=1, seed=1)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return make_toy(tmp_path_factory.mktemp("toy"))[1]


@pytest.fixture
def model(toy):
    return load_model(toy.model, toy.target)


def domains(toy):
    return tuple(load_domain(toy.model, texts, LABELS, LENGTH) for texts in (toy.source, toy.target))


def test_the_model_learns_nothing_from_a_critic_that_learns(toy, model):
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with without_dropout(model):
        critic_objective(model, domains(toy), SETTINGS, SCHEDULE, 5)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert all(weights.grad is None for weights in model.parameters())


def test_the_gradient_for_the_model_makes_languages_harder_to_tell_apart(toy, model):
    """A small step against it lowers the critic's gap; with the sign the other way it would rise."""
    settings = AdversarialSettings(**{**vars(SETTINGS), "penalty": 0.0})  # the loss is then minus the gap
    with without_dropout(model):
        objective = critic_objective(model, domains(toy), settings, SCHEDULE, 50)
        batch = next(objective.batches)
        loss, weights = objective.loss(batch), list(model.base_model.parameters())
        gradients = torch.autograd.grad(loss, weights)
        length = torch.cat([part.flatten() for part in gradients]).norm()
        with torch.no_grad():
            for weight, part in zip(weights, gradients, strict=True):
                weight -= 1e-3 * part / length
        change = (loss - objective.loss(batch)).item()
    assert -loss > 0  # the critic scores the source higher: it has learnt to tell them apart
    # The strength scales what the model hears. It does not hear that its answers change, too.
    assert change == pytest.approx(-1e-3 * length.item() / settings.strength, rel=0.3)


def gradient(model, objective):
    """What the model hears from one batch of an objective that was made after the same random numbers."""
    loss = objective.loss(next(objective.batches))
    parts = torch.autograd.grad(loss, list(model.base_model.parameters()))
    return torch.cat([part.flatten() for part in parts])


def test_the_model_hears_half_of_it_at_half_the_strength(toy, model):
    """The strength is on the reversal, so that the same critic has learnt in both cases."""
    found = []
    with without_dropout(model):
        for strength in (0.5, 1.0):
            torch.manual_seed(1)
            settings = replace(SETTINGS, strength=strength, strength_on="reversal")
            found.append(gradient(model, critic_objective(model, domains(toy), settings, SCHEDULE, 5)))
    assert found[0].norm() > 0
    torch.testing.assert_close(2 * found[0], found[1])


def test_all_of_the_critics_parameters_decay_as_in_adaptation(toy, model, monkeypatch):
    """Without a gradient, every update multiplies them by 1 - rate x decay: .9, and .729 after three."""
    seen = []

    def no_terms(critic, *_):
        weights = list(critic.parameters())
        seen.append((weights, [part.detach().clone() for part in weights]))
        return (sum(0 * part.sum() for part in weights),)

    monkeypatch.setattr("xstitch.models.transfer.trained_critic.critic_terms", no_terms)
    settings = replace(SETTINGS, critic_learning_rate=0.1, critic_decay=1.0)
    with without_dropout(model):
        critic_objective(model, domains(toy), settings, SCHEDULE, 3)
    assert len(seen) == 3  # as many updates as are asked for
    for after, before in zip(*seen[0], strict=True):
        torch.testing.assert_close(after.detach(), 0.729 * before)


def watched_terms(monkeypatch):
    """Replace the critic's terms; return the list that will have what each was made of."""
    seen = []
    monkeypatch.setattr(
        "xstitch.models.transfer.trained_critic.critic_terms",
        lambda critic, *others: (seen.append(others) or sum(part.sum() for part in critic.parameters()),),
    )
    return seen


def test_class_weights_are_those_that_adaptation_would_start_with(toy, model, monkeypatch):
    seen = watched_terms(monkeypatch)
    oracle = AdversarialSettings(weights="oracle", hidden=4)
    with without_dropout(model):
        critic_objective(model, domains(toy), oracle, SCHEDULE, 1)
    priors = [texts["label"].value_counts(normalize=True) for texts in (toy.source, toy.target)]
    np.testing.assert_allclose(seen[0][2].numpy(), [priors[1][name] / priors[0][name] for name in LABELS])


def test_estimated_weights_come_from_the_sources_confusions_and_what_is_predicted_for_the_target(
    toy, model, monkeypatch
):
    """Solved here for the predictions' counts, which differ from those of the target's labels."""
    seen = watched_terms(monkeypatch)
    source, target = domains(toy)
    settings = AdversarialSettings(weights="estimated", caution=0.25, hidden=4)
    with without_dropout(model):
        critic_objective(model, (source, target), settings, SCHEDULE, 1)
    (gold, answered), (labels, predicted) = predict(model, source), predict(model, target)
    counts = np.bincount(predicted, minlength=3)
    assert (counts != np.bincount(labels, minlength=3)).any()
    confused = np.zeros((3, 3))
    np.add.at(confused, (answered, gold), 1 / len(gold))
    expected = 0.75 * solve_weights(confused, counts / len(labels)) + 0.25
    np.testing.assert_allclose(seen[0][2].numpy(), expected, rtol=1e-3)
    assert np.ptp(expected) > 0.1


def test_the_source_is_the_side_with_weights(toy, model, monkeypatch):
    seen = watched_terms(monkeypatch)
    with without_dropout(model):
        objective = critic_objective(model, domains(toy), SETTINGS, SCHEDULE, 1)
        batch = next(objective.batches)
        objective.loss(batch)
    for side, answers in zip(("source", "target"), seen[-1], strict=False):
        torch.testing.assert_close(answers.logits, answer(model, batch[side]).logits)


def test_batches_to_measure_on_are_not_those_the_critic_learnt_from(toy, model, monkeypatch):
    learnt = []
    monkeypatch.setattr(
        "xstitch.models.transfer.trained_critic.train",
        lambda *given, **_: learnt.append(next(given[2])),
    )
    with without_dropout(model):
        objective = critic_objective(model, domains(toy), SETTINGS, SCHEDULE, 1)
    measured = next(objective.batches)
    for side in ("source", "target"):
        assert learnt[0][side]["items"].tolist() != measured[side]["items"].tolist()
    assert len(answer(model, measured["target"]).gold) == 64
