"""Images as vectors: the first token of a vision transformer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import AutoModel, ViTConfig, ViTModel

from xstitch.core.errors import InputError
from xstitch.core.files import read_json, whole_folder
from xstitch.core.progress import progress
from xstitch.encoders.folders import OFFLINE
from xstitch.sources.images import Image
from xstitch.training.devices import choose_device, seed_all
from xstitch.vectors.table import Vectors

PREPROCESSOR = "preprocessor_config.json"


def encode_images(images: Iterable[Image], encoder: Path, batch_size: int = 64) -> Vectors:
    """Encode images by the last hidden state of the first token, after the model's last normalisation."""
    model = _load(encoder)
    mean, deviation = _scale(encoder)
    names, parts = [], []
    for batch in _batches(progress(images, "encoding images", unit="image"), batch_size):
        pixels = torch.cat(
            [prepare(image.pixels, model.config.image_size, mean, deviation) for image in batch]
        )
        with torch.inference_mode():
            states = model(pixel_values=pixels.to(choose_device())).last_hidden_state[:, 0]
        names += [image.name for image in batch]
        parts.append(states.float().cpu().numpy())
    if not parts:
        raise InputError("there are no images to encode")
    return Vectors(names, np.concatenate(parts))


def prepare(pixels: np.ndarray, size: int, mean: Sequence[float], deviation: Sequence[float]) -> torch.Tensor:
    """Bring an image to the model's size and scale, as a batch of one: colours first, around 0."""
    planes = torch.from_numpy(pixels.astype(np.float32)).permute(2, 0, 1)[None] / 255
    if planes.shape[2:] != (size, size):
        planes = nn.functional.interpolate(planes, (size, size), mode="bicubic", antialias=True).clamp(0, 1)
    return (planes - torch.tensor(mean)[:, None, None]) / torch.tensor(deviation)[:, None, None]


def initialise_vit(settings: Mapping[str, int], seed: int, output: Path) -> None:
    """Write a ViT with random weights, for the mini world: all it knows of images is their layout."""
    seed_all(seed)
    config = ViTConfig(
        hidden_size=settings["width"],
        num_hidden_layers=settings["layers"],
        num_attention_heads=settings["heads"],
        intermediate_size=4 * settings["width"],
        image_size=settings["image_size"],
        patch_size=settings["patch_size"],
        # Larger than the usual 0.02, with which an untrained first token sees next to nothing of the image.
        initializer_range=settings["width"] ** -0.5,
    )
    with whole_folder(output) as partial:
        ViTModel(config, add_pooling_layer=False).save_pretrained(partial)
        scale = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3}
        (partial / PREPROCESSOR).write_text(json.dumps(scale) + "\n", encoding="utf-8")


def _load(folder: Path) -> nn.Module:
    model = AutoModel.from_pretrained(folder, **OFFLINE, use_safetensors=True, dtype=torch.float32)
    if not isinstance(getattr(model.config, "image_size", None), int):
        raise InputError(
            f"{folder}: a {model.config.model_type} is not a vision transformer; name another encoder"
        )
    return model.eval().to(choose_device())


def _scale(folder: Path) -> tuple[list[float], list[float]]:
    """Read the mean and deviation of colours a model was trained with; ViT's if its folder does not say."""
    settings: dict[str, Any] = read_json(folder / PREPROCESSOR) if (folder / PREPROCESSOR).exists() else {}
    return settings.get("image_mean", [0.5] * 3), settings.get("image_std", [0.5] * 3)


def _batches(images: Iterable[Image], size: int) -> Iterator[list[Image]]:
    stream = iter(images)
    while batch := list(islice(stream, size)):
        yield batch
