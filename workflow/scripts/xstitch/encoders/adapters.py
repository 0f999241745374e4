"""Adapters of languages and tasks inside a frozen encoder: MAD-X (Pfeiffer et al. 2020).

In every layer, a language adapter and then a task adapter refine the output of the feed-forward part before
it is normalised. The language also has an invertible adapter, which transforms the embeddings; its inverse
comes before the output embeddings, with which masked tokens are predicted. All of them become parts of the
model: its weights include theirs when it is saved, and its configuration says how they were built.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn

from xstitch.core.errors import InputError
from xstitch.core.files import read_json
from xstitch.encoders.folders import NOTES
from xstitch.encoders.settings.adapters import ADAPTER_FILE, LANGUAGE_PARTS, TASK_PART, TaskAdapterSettings

STACKED = "stacked_adapters"  # the key of a model's configuration that says how its adapters were built
SPREAD = 0.02  # of initial weights, as in BERT


@dataclass(frozen=True)
class AdapterStack:
    """What fine-tuning puts into a frozen encoder: a trained language adapter and a new task adapter."""

    language: Path
    task: TaskAdapterSettings


class Bottleneck(nn.Sequential):
    """A projection to fewer dimensions, a ReLU, and a projection back."""

    def __init__(self, width: int, reduction: int, output_width: int | None = None) -> None:
        narrow = max(1, width // reduction)
        super().__init__(nn.Linear(width, narrow), nn.ReLU(), nn.Linear(narrow, output_width or width))
        for layer in (self[0], self[2]):
            nn.init.normal_(layer.weight, std=SPREAD)
            nn.init.zeros_(layer.bias)


class InvertibleAdapter(nn.Module):
    """Each half of a vector is shifted by a function of the other (NICE, Dinh et al. 2015)."""

    def __init__(self, width: int, reduction: int) -> None:
        super().__init__()
        self.sizes = [width // 2, width - width // 2]
        self.first = Bottleneck(self.sizes[1], reduction, self.sizes[0])
        self.second = Bottleneck(self.sizes[0], reduction, self.sizes[1])

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Shift the first half, then the second by the shifted first."""
        first, second = vectors.split(self.sizes, dim=-1)
        first = first + self.first(second)
        return torch.cat([first, second + self.second(first)], dim=-1)

    def inverse(self, vectors: torch.Tensor) -> torch.Tensor:
        """Undo `forward`."""
        first, second = vectors.split(self.sizes, dim=-1)
        second = second - self.second(first)
        return torch.cat([first - self.first(second), second], dim=-1)


def add_language_adapter(model: nn.Module, reduction: int, invertible_reduction: int) -> None:
    """Put an untrained language adapter into every layer and around the embeddings."""
    width = model.config.hidden_size
    for output in _layer_outputs(model):
        output.adapters = nn.ModuleDict({"language": Bottleneck(width, reduction)})
        output.forward = partial(_adapted_output, output)
    embeddings = model.base_model.embeddings
    embeddings.invertible = invertible = InvertibleAdapter(width, invertible_reduction)
    embeddings.register_forward_hook(lambda *call: invertible(call[-1]))  # module, inputs, output
    decoder = model.get_output_embeddings()
    if decoder is not None:
        decoder.register_forward_pre_hook(lambda _, states: (invertible.inverse(states[0]),))


def add_task_adapter(model: nn.Module, settings: TaskAdapterSettings) -> None:
    """Put an untrained task adapter on top of the language adapter of every layer."""
    for output in _layer_outputs(model):
        output.adapters["task"] = Bottleneck(model.config.hidden_size, settings.reduction)
        output.stacking = settings.stacking


def _layer_outputs(model: nn.Module) -> Iterator[nn.Module]:
    """Find the modules that end a layer: a projection, dropout, and the normalisation of a sum."""
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", ())
    outputs = [getattr(layer, "output", None) for layer in layers]
    if not outputs or not all(hasattr(output, "LayerNorm") for output in outputs):
        kind = model.config.model_type
        raise InputError(f"adapters: not for a {kind} encoder; use a BERT or a RoBERTa (XLM-R)")
    yield from outputs


def _adapted_output(
    output: nn.Module, hidden_states: torch.Tensor, input_tensor: torch.Tensor
) -> torch.Tensor:
    """Do what a layer's output does, with adapters before its last normalisation."""
    fed = output.dropout(output.dense(hidden_states))
    adapted = fed + output.adapters["language"](output.LayerNorm(fed + input_tensor))
    if "task" in output.adapters:
        task = output.adapters["task"]
        if output.stacking == "equation":
            adapted = fed + task(adapted)
        else:
            adapted = adapted + task(output.LayerNorm(adapted + input_tensor))
    return output.LayerNorm(adapted + input_tensor)


def stack_adapters(model: nn.Module, stack: AdapterStack) -> None:
    """Freeze an encoder, give it a trained language adapter, and a task adapter to be trained.

    The head is trained as well. So is the pooler, which only classifiers have: it serves the head alone, and
    an encoder that was trained without one has random weights there.
    """
    body, language = model.base_model, load_language_adapter(model, stack.language)
    body.requires_grad_(False)
    add_task_adapter(model, stack.task)
    if getattr(body, "pooler", None) is not None:
        body.pooler.requires_grad_(True)
    setattr(model.config, STACKED, {"language": language, "task": asdict(stack.task)})


def load_language_adapter(model: nn.Module, folder: Path) -> dict[str, int]:
    """Put a trained language adapter into a model; return how it was built."""
    shape = read_json(folder / NOTES)["adapter"]
    add_language_adapter(model, **shape)
    _fill(model, load_file(folder / ADAPTER_FILE), folder)
    return shape


def restore_adapters(model: nn.Module, folder: Path) -> None:
    """Give a model that was loaded from a folder the adapters saved with it, if there are any."""
    shapes = getattr(model.config, STACKED, None)
    if shapes is None:
        return
    add_language_adapter(model, **shapes["language"])
    add_task_adapter(model, TaskAdapterSettings(**shapes["task"]))
    prefix = f"{model.base_model_prefix}."
    with safe_open(folder / "model.safetensors", "pt") as weights:
        names = filter(_is_of_adapter, weights.keys())
        _fill(model, {name.removeprefix(prefix): weights.get_tensor(name) for name in names}, folder)


def adapter_names(model: nn.Module) -> list[str]:
    """Name the weights of adapters as the encoder, without a head, calls them."""
    return [name for name in model.base_model.state_dict() if _is_of_adapter(name)]


def _is_of_adapter(name: str) -> bool:
    return any(part in name for part in (*LANGUAGE_PARTS, TASK_PART))


def _fill(model: nn.Module, tensors: dict[str, torch.Tensor], folder: Path) -> None:
    """Set the weights of all adapters; refuse those of another encoder."""
    own = model.base_model.state_dict()
    shapes = {name: own[name].shape for name in adapter_names(model)}
    if {name: tensor.shape for name, tensor in tensors.items()} != shapes:
        raise InputError(f"{folder}: its adapters are not for this encoder; train them again")
    with torch.no_grad():
        for name, tensor in tensors.items():
            own[name].copy_(tensor)
