"""What a critic would tell a model as it is: the gradient that adversarial alignment would move it by.

In a run of adversarial alignment, the critic learns with the model. Here the model learns something else, so
a new critic is trained on its features until it knows the languages apart; the model does not notice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.transfer.adversarial import critic_group, critic_terms, first_weights
from xstitch.models.transfer.critic import Critic
from xstitch.models.transfer.domains import Domain, PairedStream, answer
from xstitch.models.transfer.statistics import measure_start
from xstitch.training.devices import choose_device
from xstitch.training.loop import Objective, train
from xstitch.training.schedule import Schedule

Loss = Callable[[dict[str, Any]], torch.Tensor]


def critic_objective(
    model: nn.Module,
    domains: tuple[Domain, Domain],
    settings: AdversarialSettings,
    schedule: Schedule,
    updates: int,
) -> Objective:
    """Train a critic of source and target as a model has them now; return the loss it sends to the model.

    Class weights are those that adversarial alignment would start with, and its strength is at its height:
    the gradient at the start of the warm-up would be 0.
    """
    source, target = domains
    classes = model.config.num_labels
    start = measure_start(model, source, classes, "gold"), measure_start(model, target, classes, "predicted")
    joint, answers = start[0].joint, start[1].joint
    weights = first_weights(joint, answers.sum(axis=1), answers.sum(axis=0), settings)
    class_weights = torch.from_numpy(weights).to(choose_device())
    critic = Critic(classes * (start[0].sums.shape[1] - 1), settings.hidden).to(choose_device())

    def loss(batch: dict[str, Any], to_model: bool = True) -> torch.Tensor:
        with torch.set_grad_enabled(to_model):
            sides = answer(model, batch["source"]), answer(model, batch["target"])
        return critic_terms(critic, *sides, class_weights, settings, settings.strength)[0]

    alone = partial(loss, to_model=False)  # or the model's next update would have this gradient in it
    _train(critic, alone, _stream(domains, schedule, order=0), settings, schedule, updates)
    return Objective(loss, _stream(domains, schedule, order=len(domains)))


def _stream(domains: tuple[Domain, Domain], schedule: Schedule, order: int) -> PairedStream:
    source, target = domains
    return PairedStream(source.stream(schedule, order), target.stream(schedule, order + 1))


def _train(
    critic: nn.Module,
    loss: Loss,
    batches: PairedStream,
    settings: AdversarialSettings,
    schedule: Schedule,
    updates: int,
) -> None:
    """Train the critic as adversarial alignment does, but alone."""
    own = Schedule(
        learning_rate=settings.critic_learning_rate,
        schedule=settings.critic_schedule,
        batch_size=schedule.batch_size,
        steps=updates,
        clip=None,
        seed=schedule.seed,
    )

    def optimiser(root: nn.Module, _: Schedule) -> torch.optim.Optimizer:
        return torch.optim.AdamW([critic_group(root["critic"], settings)], fused=True)

    train({"critic": critic}, loss, batches, own, label="critic", optimiser=optimiser)
