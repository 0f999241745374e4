"""Knowledge distillation: a student learns a teacher's answers on texts of both languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from xstitch.core.errors import InputError
from xstitch.encoders.folders import load_tokenizer, save_trained
from xstitch.models.settings.transfer import DistillationSettings
from xstitch.models.transfer.domains import Domain, PairedStream, answer, answer_items, load_model
from xstitch.models.transfer.task import Transfer
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, seed_all
from xstitch.training.history import History
from xstitch.training.loop import train
from xstitch.training.schedule import Schedule


def soft_loss(student: torch.Tensor, teacher: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return the mean squared error between softened probabilities, times the squared temperature.

    Softening divides the gradient by that factor (Hinton et al., 2015, section 2); multiplying by it keeps
    the balance with the loss on labels.
    """
    answers = [(logits / temperature).softmax(dim=1) for logits in (student, teacher)]
    return temperature**2 * nn.functional.mse_loss(*answers)


def freeze_bottom(model: nn.Module, layers: int) -> None:
    """Freeze a model's embeddings and its first layers."""
    if not layers:
        return
    blocks = model.base_model.encoder.layer
    if layers >= len(blocks):
        raise InputError(f"distillation: frozen_layers is {layers}, but the encoder has {len(blocks)} layers")
    for part in (model.base_model.embeddings, *blocks[:layers]):
        part.requires_grad_(False)


def distill(
    transfer: Transfer,
    student: Path,
    settings: DistillationSettings,
    schedule: Schedule,
    output: Path,
    checkpoint: Checkpoint | None = None,
) -> History:
    """Train the pre-trained folder `student` to answer as the transfer's model does; write its folder.

    The last weights are kept: without target labels there is no way to choose the best ones.
    """
    schedule = transfer.scaled(schedule)
    seed_all(schedule.seed)
    source, target = transfer.domains()
    taught = _teach(transfer, {"source": source, "target": target})
    pupil = load_model(student, transfer.target, transfer.labels)
    freeze_bottom(pupil, settings.frozen_layers)
    streams = (
        source.stream(schedule),
        target.stream(schedule, order=1),
    )
    history = train(
        pupil,
        _loss(pupil, taught, settings),
        PairedStream(*streams),
        schedule,
        None,
        checkpoint,
        label="distilling",
    )
    save_trained(output, pupil, load_tokenizer(student), history, checkpoint)
    return history


def _teach(transfer: Transfer, domains: Mapping[str, Domain]) -> dict[str, torch.Tensor]:
    """Return the scores that the transfer's model, the teacher, gives to all items of each domain.

    It does not change: one pass suffices, not one per epoch, and the pupil has the memory for itself.
    """
    teacher = load_model(transfer.model, transfer.target).to(choose_device())
    return {name: answer_items(teacher, domain) for name, domain in domains.items()}


def _loss(
    pupil: nn.Module, taught: dict[str, torch.Tensor], settings: DistillationSettings
) -> Callable[[dict[str, Any]], torch.Tensor]:
    """Make the loss of a batch of both languages; `taught` has the teacher's scores for their items."""

    def loss(batch: dict[str, Any]) -> torch.Tensor:
        source, target = (answer(pupil, batch[side]) for side in ("source", "target"))
        teacher = torch.cat([taught["source"][source.items], taught["target"][target.items]])
        soft = soft_loss(torch.cat([source.logits, target.logits]), teacher, settings.temperature)
        return soft + settings.source_weight * nn.functional.cross_entropy(source.logits, source.gold)

    return loss
