"""An encoder with a linear head on pooled states, as an ordinary sequence classifier of its architecture.

Transformers' classifiers of BERT's family read the first state of the last layer, through a layer with tanh.
A head on the mean of all states of any layer needs no code of its own, for it can be written with their
weights: layers above the chosen one are dropped, and one more layer follows whose attention is uniform, so
that it adds the mean of all states, padding excepted, to the first state. The mean is multiplied by so large
a number that nothing of the first state is left after the normalisation; by 0, if the first state is wanted.
The layer with tanh multiplies by so small a number that tanh changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import AutoConfig, AutoModelForSequenceClassification

from xstitch.core.errors import InputError
from xstitch.encoders.folders import OFFLINE, WEIGHTS
from xstitch.models.settings.frozen import Pooling

FAMILIES = ("bert", "roberta", "xlm-roberta")
MEAN = 2.0**12  # the factor of the mean beside the first state; a power of 2 rounds nothing
LINEAR = 2.0**-12  # the factor within tanh


def load_pooled(encoder: Path, labels: Sequence[str], layer: int, pooling: Pooling) -> nn.Module:
    """Load the first layers of an encoder as a classifier whose head, all zeros, reads pooled states."""
    config = AutoConfig.from_pretrained(encoder, **OFFLINE)
    if config.model_type not in FAMILIES:
        raise InputError(
            f"{encoder}: a frozen {config.model_type} cannot be saved with a head on pooled states; "
            f"legal: {', '.join(FAMILIES)}"
        )
    config.num_hidden_layers = layer + 1
    config.id2label = dict(enumerate(labels))
    config.label2id = {label: number for number, label in enumerate(labels)}
    model = AutoModelForSequenceClassification.from_pretrained(encoder, config=config, **WEIGHTS)
    with torch.no_grad():
        _pool_in(model.base_model.encoder.layer[layer], MEAN if pooling == "mean" else 0.0)
        _set(_hidden_layer(model), torch.eye(config.hidden_size) * LINEAR)
        for parameter in (linear_head(model).weight, linear_head(model).bias):
            parameter.zero_()
    return model


def set_head(model: nn.Module, weights: np.ndarray, bias: np.ndarray) -> None:
    """Give a pooled classifier a head: logits = weights @ pooled states + bias."""
    head = linear_head(model)
    with torch.no_grad():
        head.weight.copy_(torch.from_numpy(weights / LINEAR))
        head.bias.copy_(torch.from_numpy(bias))


def linear_head(model: nn.Module) -> nn.Linear:
    """Return the last layer of a classifier."""
    head = model.classifier
    return head if isinstance(head, nn.Linear) else head.out_proj


def pooled_states(
    states: torch.Tensor, attention: torch.Tensor, pooling: Pooling, eps: float
) -> torch.Tensor:
    """Pool states (texts x tokens x width) and normalise them: what the head of a pooled classifier reads."""
    if pooling == "first":
        pooled = states[:, 0]
    else:
        mask = attention.unsqueeze(2).to(states.dtype)
        pooled = (states * mask).sum(dim=1) / mask.sum(dim=1)
    return nn.functional.layer_norm(pooled, pooled.shape[-1:], eps=eps)


def _pool_in(layer: nn.Module, factor: float) -> None:
    """Let a layer add the mean of its inputs, multiplied by a factor, to each and normalise the sums."""
    attention, output = layer.attention, layer.output
    width = attention.output.dense.out_features
    for part in (attention.self.query, attention.self.key, layer.intermediate.dense, output.dense):
        _set(part, torch.zeros_like(part.weight))
    _set(attention.self.value, torch.eye(width))
    _set(attention.output.dense, torch.eye(width) * factor)
    for normalisation in (attention.output.LayerNorm, output.LayerNorm):
        normalisation.weight.fill_(1.0)
        normalisation.bias.zero_()


def _hidden_layer(model: nn.Module) -> nn.Linear:
    """Return the layer with tanh between the first state and the head."""
    return (
        model.base_model.pooler.dense if hasattr(model.classifier, "in_features") else model.classifier.dense
    )


def _set(layer: nn.Linear, weights: torch.Tensor) -> None:
    layer.weight.copy_(weights)
    layer.bias.zero_()
