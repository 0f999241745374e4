"""Vision transformers with random weights, for the mini world: what they know of images is their layout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from transformers import ViTConfig, ViTModel

from xstitch.core.files import whole_folder
from xstitch.encoders.images import PREPROCESSOR
from xstitch.training.devices import seed_all


def initialise_vit(settings: Mapping[str, int], seed: int, output: Path) -> None:
    """Write a transformers folder of a ViT as the settings shape it."""
    seed_all(seed)
    config = ViTConfig(
        hidden_size=settings["width"],
        num_hidden_layers=settings["layers"],
        num_attention_heads=settings["heads"],
        intermediate_size=4 * settings["width"],
        image_size=settings["image_size"],
        patch_size=settings["patch_size"],
        # Larger than the usual 0.02, at which an untrained first token sees next to nothing of the image.
        initializer_range=settings["width"] ** -0.5,
    )
    with whole_folder(output) as partial:
        ViTModel(config, add_pooling_layer=False).save_pretrained(partial)
        scale = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3}
        (partial / PREPROCESSOR).write_text(json.dumps(scale) + "\n", encoding="utf-8")
