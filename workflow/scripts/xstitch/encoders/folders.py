"""Models as transformers folders: loaded from disk only, without remote code or pickles, and saved whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import AutoModel, AutoModelForMaskedLM, AutoModelForSequenceClassification, AutoTokenizer

from xstitch.core.errors import InputError
from xstitch.core.files import whole_folder
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.history import History

NOTES = "xstitch.json"
OFFLINE = {"local_files_only": True, "trust_remote_code": False}
WEIGHTS = {**OFFLINE, "use_safetensors": True, "dtype": torch.float32, "attn_implementation": "sdpa"}


def load_tokenizer(folder: Path) -> Any:
    """Load a folder's tokenizer, from disk only."""
    return AutoTokenizer.from_pretrained(folder, **OFFLINE)


def load_classifier(folder: Path, labels: Sequence[str] | None = None) -> nn.Module:
    """Load a folder as a sequence classifier: with a new head for `labels`, or with its own head."""
    names = {}
    if labels is not None:
        names = {"id2label": dict(enumerate(labels)), "label2id": {name: i for i, name in enumerate(labels)}}
    return AutoModelForSequenceClassification.from_pretrained(folder, **names, **WEIGHTS)


def load_masked_model(folder: Path) -> nn.Module:
    """Load a folder as a masked language model."""
    return AutoModelForMaskedLM.from_pretrained(folder, **WEIGHTS)


def load_body(folder: Path) -> nn.Module:
    """Load all layers of a folder, without any head."""
    return AutoModel.from_pretrained(folder, **WEIGHTS)


def set_embeddings(model: nn.Module, embeddings: np.ndarray | None, freeze: bool) -> None:
    """Replace a model's input embeddings by a table of the same shape, if given; freeze them or not."""
    table = model.get_input_embeddings().weight
    if embeddings is not None:
        if embeddings.shape != tuple(table.shape):
            raise InputError(
                f"embeddings are {embeddings.shape}, but the encoder's table is {tuple(table.shape)}"
            )
        table.data.copy_(torch.from_numpy(np.ascontiguousarray(embeddings)))
    table.requires_grad_(not freeze)


def save_trained(
    output: Path, model: nn.Module, tokenizer: Any, history: History, checkpoint: Checkpoint | None
) -> None:
    """Write a trained model as a whole folder; then remove its checkpoint."""
    with whole_folder(output) as partial:
        save_model(partial, model, tokenizer, history)
    if checkpoint:
        checkpoint.remove()


def save_model(folder: Path, model: nn.Module, tokenizer: Any, history: History) -> None:
    """Fill a folder with a model, its tokenizer and notes that name its input-embedding tensor."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    table = model.get_input_embeddings().weight
    name = next(name for name, parameter in model.named_parameters() if parameter is table)
    notes = {"input_embeddings": name, "history": history.as_dict()}
    (folder / NOTES).write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")
