"""One step of alignment by hand: what critic and classifier learn from two texts of each language.

The classifier is undecided between two classes, so that the critic sees half of every feature twice. It is
linear, f(z) = 2 z_1 + 4 z_2 + 4 z_3: its gradient has norm 6, and features x score 3 x_1 + 2 x_2. Those of
the source, (1, 0) and (0, 2), have classes 0 and 1 with weights 1/2 and 3/2 and score 3 and 4; those of the
target, (1, 1) and (0, 0), score 5 and 0. The gap is (3/2 + 6) / 2 - 5/2 = 5/4; without weights, it is 1.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.transfer import adversarial
from xstitch.models.transfer.domains import Answers
from xstitch.models.transfer.importance import ImportanceWeights

STEPS = 100
SETTINGS = AdversarialSettings(strength=0.25, strength_warmup=0.1, penalty=10)
WEIGHTS = torch.tensor([0.5, 1.5])
SLOPE = torch.tensor([3.0, 2.0])  # of a feature's score
CRITIC = torch.tensor([2.0, 4.0, 4.0, 0.0])
# Weighted source mean (1/4, 3/2) minus target mean (1/2, 1/2), halved and twice.
DIFFERENCE = torch.tensor([-0.125, 0.5, -0.125, 0.5])


class Step:
    """The alignment loss after a number of steps, with the gradients it has sent."""

    def __init__(self, monkeypatch, settings=SETTINGS, done=STEPS // 2):
        self.features = {
            "source": torch.tensor([[1.0, 0.0], [0.0, 2.0]], requires_grad=True),
            "target": torch.tensor([[1.0, 1.0], [0.0, 0.0]], requires_grad=True),
        }
        self.critic = torch.nn.Linear(4, 1)
        self.critic.weight.data, self.critic.bias.data = CRITIC[None].clone(), torch.zeros(1)
        joint = np.eye(2) / 2
        weights = ImportanceWeights(joint, np.full(2, 0.5), WEIGHTS.numpy(), momentum=0.0)
        weights.offset.requires_grad_(settings.weights == "estimated")
        self.log = adversarial.StepLog([*adversarial.LOGGED, "w0", "w1", "p0", "p1"], STEPS)
        self.log.count += done
        means = SimpleNamespace(observe=lambda *_: None, shift=lambda: torch.zeros(()))
        monkeypatch.setattr(adversarial, "answer", self.answer)
        modules = {"critic": lambda points: self.critic(points)[:, 0], "weights": weights, "means": means}
        self.loss = adversarial._alignment_loss({"model": None, "log": self.log, **modules}, settings)

    def answer(self, _, side, __=None):
        """Answer as a classifier would: undecided, with features that a gradient can reach."""
        return Answers(1 * self.features[side], torch.zeros(2, 2), torch.tensor([0, 1]), torch.arange(2))

    def take(self):
        """Compute loss and gradients; return the loss."""
        for part in (*self.features.values(), self.critic.weight):
            part.grad = None
        loss = self.loss({"source": "source", "target": "target"})
        loss.backward()
        return loss.item()

    def logged(self, column):
        return self.log.values[self.log.step - 1, self.log.columns.index(column)].item()


@pytest.mark.parametrize("weights", ["estimated", "oracle"])
def test_loss_is_that_of_the_task_the_weighted_gap_and_the_whole_penalty(monkeypatch, weights):
    step = Step(monkeypatch, AdversarialSettings(weights=weights))
    loss = step.take()
    assert step.logged("gap") == pytest.approx(1.25)
    assert step.logged("gradient_norm") == pytest.approx(6)
    assert step.logged("critic_loss") == pytest.approx(10 * 36 - 1.25)
    assert step.logged("source_loss") == pytest.approx(math.log(2))
    # Target predictions (1/2, 1/2) against C w = (1/4, 3/4); only estimated weights are trained.
    of_weights = 0.125 if weights == "estimated" else 0
    assert loss == pytest.approx(math.log(2) + 360 - 1.25 + of_weights)


def test_the_critic_learns_the_weighted_difference_under_the_whole_penalty(monkeypatch):
    step = Step(monkeypatch)
    step.take()
    torch.testing.assert_close(step.critic.weight.grad[0], 10 * 2 * CRITIC - DIFFERENCE)


def test_the_classifier_learns_the_opposite_scaled_by_the_strength_and_by_class_weights(monkeypatch):
    step = Step(monkeypatch)
    step.take()
    torch.testing.assert_close(step.features["source"].grad, 0.25 * WEIGHTS[:, None] * SLOPE / 2)
    torch.testing.assert_close(step.features["target"].grad, (-0.25 * SLOPE / 2).repeat(2, 1))


@pytest.mark.parametrize(
    ("scaled", "to_classifier", "of_gap"),
    [("reversal", 0.25, 1), ("gap", 0.25, 0.25), ("both", 0.0625, 0.25)],
)
def test_the_strength_scales_what_it_is_said_to(monkeypatch, scaled, to_classifier, of_gap):
    """By the last equation of C.1 both play for lambda x gap; the authors' first program had lambda twice."""
    step = Step(monkeypatch, AdversarialSettings(strength=0.25, strength_on=scaled))
    step.take()
    assert step.logged("critic_loss") == pytest.approx(360 - of_gap * 1.25)
    torch.testing.assert_close(step.critic.weight.grad[0], 20 * CRITIC - of_gap * DIFFERENCE)
    torch.testing.assert_close(step.features["target"].grad, (-to_classifier * SLOPE / 2).repeat(2, 1))


@pytest.mark.parametrize(("done", "share"), [(0, 0), (1, 0.1), (5, 0.5), (10, 1), (90, 1)])
def test_the_classifier_hears_the_critic_by_degrees(monkeypatch, done, share):
    """Over the first tenth of 100 steps; it is not enough that the strength is logged."""
    step = Step(monkeypatch, done=done)
    step.take()
    torch.testing.assert_close(step.features["target"].grad, (-share * 0.25 * SLOPE / 2).repeat(2, 1))
    assert step.logged("strength") == pytest.approx(share * 0.25)


@pytest.mark.parametrize(("done", "gap"), [(0, 1), (5, 1.125), (10, 1.25)])
def test_class_weights_count_by_degrees(monkeypatch, done, gap):
    """Half-way they are (3/4, 5/4): (9/4 + 5) / 2 - 5/2."""
    step = Step(monkeypatch, done=done)
    step.take()
    assert step.logged("gap") == pytest.approx(gap)
    at_once = Step(monkeypatch, AdversarialSettings(weights_warmup=0), done=0)
    at_once.take()
    assert at_once.logged("gap") == pytest.approx(1.25)


def test_the_penalty_can_be_that_of_the_mean_score(monkeypatch):
    """The gradient of a mean over two points is half as long at each of them."""
    step = Step(monkeypatch, AdversarialSettings(penalty_of="mean"))
    step.take()
    assert step.logged("critic_loss") == pytest.approx(10 * 9 - 1.25)
    assert step.logged("gradient_norm") == pytest.approx(6)
    torch.testing.assert_close(step.critic.weight.grad[0], 5 * CRITIC - DIFFERENCE)


def test_four_steps_of_the_critic_alone_precede_each_joint_one(monkeypatch):
    step = Step(monkeypatch, AdversarialSettings(critic_steps=4), done=0)
    heard = []
    for _ in range(15):
        step.take()
        heard.append(step.features["source"].grad is not None)
        assert step.critic.weight.grad.abs().sum() > 0
    assert heard == 3 * [False, False, False, False, True]
