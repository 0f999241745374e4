"""Inputs of a transformers model: sequences of token ids, padded batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from xstitch.core.errors import InputError
from xstitch.encoders.folders import load_tokenizer
from xstitch.training.batches import Ragged, bucketed_batches

NAMES = ("input_ids", "inputs_embeds", "attention_mask", "token_type_ids")


@dataclass(frozen=True)
class Inputs:
    """Token ids and, if the model distinguishes two texts by types, the type of every token."""

    ids: Ragged
    padding: int
    types: Ragged | None = None

    def collate(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Return the inputs of some sequences, padded to the longest of them."""
        ids, attention = self.ids.padded(rows, self.padding)
        batch = {"input_ids": ids, "attention_mask": attention}
        if self.types is not None:
            batch["token_type_ids"] = self.types.padded(rows, 0)[0]
        return {name: torch.from_numpy(array) for name, array in batch.items()}

    def batches(self, batch_size: int) -> list[np.ndarray]:
        """Return the rows of all sequences in batches of similar length, for evaluation."""
        return bucketed_batches(self.ids.lengths, batch_size, 0, 0, shuffle=False)


def run_model(model: nn.Module, batch: Mapping[str, torch.Tensor], **options: Any) -> Any:
    """Run a model on the inputs in a batch, which may contain other things as well."""
    return model(**{name: batch[name] for name in NAMES if name in batch}, **options)


def load_fast_tokenizer(folder: Path, max_length: int) -> Any:
    """Load a tokenizer that knows the positions of its tokens in the text; check the length of sequences."""
    tokenizer = load_tokenizer(folder)
    if not tokenizer.is_fast:
        raise InputError(f"{folder}: has no fast tokenizer; add its tokenizer.json")
    if max_length > tokenizer.model_max_length:
        limit = tokenizer.model_max_length
        raise InputError(f"max_length is {max_length}, but the encoder takes {limit} tokens at most")
    return tokenizer
