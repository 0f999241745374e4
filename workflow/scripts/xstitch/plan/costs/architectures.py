"""How large encoders are: parameters, memory, and operations per token, without loading any."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.tsv import read_records
from xstitch.plan.run import Run
from xstitch.sources.fetch.model_folders import model_folder

MB = 2**20
FLOAT = 4  # bytes of a number
TABLES = Path(__file__).parents[5] / "config/costs"
SUPPOSED = "xlm-roberta-base"  # what an encoder of unknown size is counted as
# Values that the backward pass needs, per token and layer: of the width, and of every pair of tokens.
# Fitted to the rehearsal's peaks (docs/costs.md), as are the values of a token that a pass without gradients
# has in memory: one layer's feed-forward part.
KEPT, KEPT_PAIRS = 19, 3
KEPT_BY_ADAPTER = 8  # and of an adapter in every layer
READ = 10


@dataclass(frozen=True)
class Architecture:
    """The shape of a transformer; `types` are token types, of which some models have one, others two."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    feed_forward: int
    positions: int = 512
    types: int = 2

    @property
    def layer_parameters(self) -> int:
        """Four projections of attention and two of the feed-forward part, with biases; two layer norms."""
        attention = 4 * (self.width**2 + self.width)
        feed_forward = 2 * self.width * self.feed_forward + self.feed_forward + self.width
        return attention + feed_forward + 4 * self.width

    @property
    def table_parameters(self) -> int:
        """The table of input embeddings."""
        return self.vocabulary * self.width

    @property
    def parameters(self) -> int:
        """All of them, with the dense layer that classifiers and poolers have on top."""
        embeddings = self.table_parameters + (self.positions + self.types + 2) * self.width
        return embeddings + self.layers * self.layer_parameters + self.width**2 + self.width

    @property
    def weights_mb(self) -> float:
        """The weights in fp32."""
        return self.parameters * FLOAT / MB

    @property
    def table_mb(self) -> float:
        """The table of input embeddings in fp32."""
        return self.table_parameters * FLOAT / MB

    def forward_gflop(self, tokens: float, length: float) -> float:
        """Operations of a forward pass over `tokens` in texts of `length`: two per weight, and attention."""
        per_layer = 2 * self.layer_parameters + 4 * length * self.width
        return tokens * self.layers * per_layer / 1e9

    def vocabulary_gflop(self, tokens: float) -> float:
        """Operations of scoring all tokens of the vocabulary for some positions."""
        return tokens * 2 * (self.table_parameters + self.width**2) / 1e9

    def activations_mb(self, tokens: float, length: float, adapters: int = 0) -> float:
        """What a forward pass keeps for the backward pass, in fp32; layers may have adapters."""
        values = (KEPT + KEPT_BY_ADAPTER * adapters) * self.width + KEPT_PAIRS * self.heads * length
        return tokens * self.layers * values * FLOAT / MB

    def reading_mb(self, tokens: float) -> float:
        """What a pass without gradients over a batch of some tokens has in memory beside the weights."""
        return tokens * READ * self.width * FLOAT / MB

    def with_words(self, words: int) -> Architecture:
        """The same body with another table of input embeddings."""
        return replace(self, vocabulary=words)


@cache
def known_architectures(file: Path = TABLES / "encoders.tsv") -> dict[str, Architecture]:
    """Read the shapes of encoders whose folders are not at hand when a run is planned."""
    return {
        row["encoder"]: Architecture(
            *(int(row[key]) for key in ("vocabulary", "width", "layers", "heads", "feed_forward")),
            int(row["positions"]),
            int(row["types"]),
        )
        for row in read_records(file)
    }


def architecture_of(run: Run, name: str) -> Architecture:
    """The shape of an encoder: its base's, its entry's, its folder's, the table's; or a supposed one."""
    encoder = run.encoders[name]
    if "base" in encoder:
        return architecture_of(run, encoder["base"])
    if "layers" in encoder:
        return _entry_architecture(encoder)
    known = known_architectures()
    title = encoder.get("repo", encoder.get("folder", "")).rpartition("/")[2]
    return known.get(title) or known.get(name) or _folder_architecture(encoder, name) or known[SUPPOSED]


def _entry_architecture(encoder: Mapping[str, Any]) -> Architecture:
    """The shape that an entry spells out: of a small BERT, or of a vision transformer."""
    width, layers = encoder["width"], encoder["layers"]
    patches = (encoder["image_size"] // encoder["patch_size"]) ** 2 if "image_size" in encoder else 0
    vocabulary = 3 * encoder["patch_size"] ** 2 if patches else encoder["vocabulary_size"]
    positions = patches + 1 if patches else encoder["max_length"]
    return Architecture(vocabulary, width, layers, encoder.get("heads", 2), 4 * width, positions)


def _folder_architecture(encoder: Mapping[str, Any], name: str) -> Architecture | None:
    """The shape in the folder of the user's encoder; None if it cannot be read."""
    if "folder" not in encoder:
        return None
    try:
        return _read_architecture(model_folder(encoder, f"encoders.{name}") / "config.json")
    except (InputError, OSError, ValueError, KeyError):
        return None


@cache
def _read_architecture(file: Path) -> Architecture:
    shape = json.loads(file.read_text(encoding="utf-8"))
    return Architecture(
        shape.get("vocab_size", 3 * shape.get("patch_size", 16) ** 2),
        shape["hidden_size"],
        shape["num_hidden_layers"],
        shape["num_attention_heads"],
        shape["intermediate_size"],
        shape.get("max_position_embeddings", 512),
        shape.get("type_vocab_size", 2),
    )
