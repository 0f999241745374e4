"""Running the layers of a BERT or RoBERTa on packed sequences, for fine-tuning and evaluation on a processor.

Only how layers are computed changes: weights, heads and files are transformers' own, and the states are those
of the padded computation, but for rounding and for which numbers dropout draws.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

from xstitch.core.portable import are_pinned
from xstitch.encoders.packed.attention import groups_of
from xstitch.encoders.packed.dropout import Draws
from xstitch.encoders.packed.layers import Batch, run_layer

FAMILIES = ("bert", "roberta", "xlm-roberta")
NARROW = 128  # below this width, products are a small part of the time, and steps of Python a large one


def pack_encoder(model: nn.Module, first: bool = False, variables: Mapping[str, str] = os.environ) -> bool:
    """Let a model run its layers on packed sequences if it can; say whether it will.

    With `first`, for models that read only the first state of each text, the last layer computes no others.
    Kernels that are pinned, so that all processors compute the same bytes, keep the padded computation.
    """
    encoder = getattr(model.base_model, "encoder", None)
    if are_pinned(variables) or not _is_plain(encoder):
        return False
    encoder.forward = partial(_run, encoder, encoder.forward, first)
    return True


@contextmanager
def unpacked(model: nn.Module) -> Iterator[None]:
    """Let a model compute the states of all tokens for a while, padded ones included."""
    encoder = getattr(model.base_model, "encoder", None)
    packed = vars(encoder).pop("forward", None) if encoder is not None else None
    try:
        yield
    finally:
        if packed is not None:
            encoder.forward = packed


def _is_plain(encoder: nn.Module | None) -> bool:
    """Say whether an encoder has the layers that `run_layer` knows, without adapters or hooks in them."""
    if encoder is None or encoder.config.model_type not in FAMILIES:
        return False
    config, parts = encoder.config, list(encoder.layer.modules())
    if config.hidden_act != "gelu" or config.is_decoder or config.hidden_size < NARROW:
        return False
    return bool(parts[1:]) and not any("forward" in vars(part) or part._forward_hooks for part in parts)


def _run(
    encoder: nn.Module,
    padded: Callable[..., Any],
    first: bool,
    hidden_states: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    **options: Any,
) -> Any:
    """Do what an encoder does with padded states; leave to it what cannot be packed."""
    real = _real_tokens(hidden_states, attention_mask)
    if real is None:
        return padded(hidden_states, attention_mask=attention_mask, **options)
    states = _first_states if first else _all_states
    return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=states(encoder, hidden_states, real))


def _all_states(encoder: nn.Module, states: torch.Tensor, real: np.ndarray) -> torch.Tensor:
    """Return the last states of all tokens, and zeros for padding."""
    places, batch, _ = _pack(encoder, real)
    rows = states.flatten(0, 1)[places]
    for layer in encoder.layer:
        rows = run_layer(layer, rows, batch)
    return rows.new_zeros(states.flatten(0, 1).shape).index_copy(0, places, rows).view_as(states)


def _first_states(encoder: nn.Module, states: torch.Tensor, real: np.ndarray) -> torch.Tensor:
    """Return the last states of first tokens (texts x 1 x width)."""
    places, batch, lengths = _pack(encoder, real)
    *layers, last = encoder.layer
    rows = states.flatten(0, 1)[places]
    for layer in layers:
        rows = run_layer(layer, rows, batch)
    starts = torch.from_numpy(np.cumsum(lengths) - lengths)
    rows = run_layer(
        last, rows, replace(batch, groups=groups_of(lengths, batch.heads, first=True), first=starts)
    )
    unsorted = np.argsort(_by_length(real))
    return rows[torch.from_numpy(unsorted)].unsqueeze(1)


def _by_length(real: np.ndarray) -> np.ndarray:
    return np.argsort(real.sum(axis=1), kind="stable")


def _pack(encoder: nn.Module, real: np.ndarray) -> tuple[torch.Tensor, Batch, np.ndarray]:
    """Sort texts by length: where their tokens are among padded ones, their groups, their lengths."""
    order = _by_length(real)
    numbers = np.arange(real.size).reshape(real.shape)
    places = torch.from_numpy(numbers[order][real[order]])
    lengths, heads = real.sum(axis=1)[order], encoder.config.num_attention_heads
    draws = Draws() if encoder.training else None
    batch = Batch(groups_of(lengths, heads), heads, None, draws, torch.is_grad_enabled())
    return places, batch, lengths


def _real_tokens(states: torch.Tensor, mask: torch.Tensor | None) -> np.ndarray | None:
    """Say which tokens are no padding (texts x tokens); none if this computation is not for them."""
    if states.device.type != "cpu" or states.dtype != torch.float32 or torch.is_autocast_enabled("cpu"):
        return None
    if mask is None:
        return np.ones(states.shape[:2], dtype=bool)
    if mask.dtype != torch.bool or mask.dim() != 4:
        return None
    real = mask[:, 0, 0].numpy()
    return real if real[:, 0].all() else None
