"""Swapping: a model fine-tuned on the source language's adapter gets the target language's.

It works on files alone (safetensors), without loading torch.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from safetensors.numpy import load_file, save_file

from xstitch.core.errors import InputError
from xstitch.core.files import whole_folder
from xstitch.encoders.settings.adapters import ADAPTER_FILE, LANGUAGE_PARTS

WEIGHTS = "model.safetensors"


def swap_adapter(model: Path, adapter: Path, output: Path) -> None:
    """Write a complete model folder in which another language's adapter replaces the one it has."""
    tensors, language = load_file(model / WEIGHTS), load_file(adapter / ADAPTER_FILE)
    prefix = _head_prefix(tensors, language)
    swapped = {f"{prefix}{name}": tensor for name, tensor in language.items()}
    had = {name: tensors[name].shape for name in tensors if any(part in name for part in LANGUAGE_PARTS)}
    if had != {name: tensor.shape for name, tensor in swapped.items()}:
        raise InputError(f"{adapter}: not an adapter for the encoder of {model}; train it again")
    with whole_folder(output) as folder:
        for file in model.iterdir():
            if file.is_file() and file.name != WEIGHTS and not file.name.startswith("."):
                shutil.copyfile(file, folder / file.name)
        save_file(tensors | swapped, folder / WEIGHTS, metadata={"format": "pt"})


def _head_prefix(tensors: Iterable[str], language: Iterable[str]) -> str:
    """Find what a model with a head puts before the names of its encoder's weights."""
    first = min(language)
    return next((name.removesuffix(first) for name in tensors if name.endswith(first)), "")
