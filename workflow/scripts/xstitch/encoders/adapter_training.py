"""Language adapters, trained by masked language modelling inside a frozen encoder (MAD-X)."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from safetensors.torch import save_file
from torch import nn
from transformers import AutoModelForMaskedLM

from xstitch.core.errors import InputError
from xstitch.core.files import whole_folder
from xstitch.encoders.adapters import adapter_names, add_language_adapter
from xstitch.encoders.folders import NOTES, WEIGHTS
from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.encoders.pretraining import (
    BY_MASKED,
    masked_loss,
    masked_stream,
    masked_validation,
    read_corpus,
    vocabulary_head,
)
from xstitch.encoders.settings.adapters import ADAPTER_FILE, LanguageAdapterSettings
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import seed_all
from xstitch.training.history import History
from xstitch.training.loop import train

LOG = logging.getLogger("xstitch")


def train_language_adapter(
    encoder: Path,
    language: str,
    corpus: Path,
    settings: LanguageAdapterSettings,
    output: Path,
    checkpoint: Checkpoint | None = None,
) -> History:
    """Train an adapter on a Parquet of sentences; keep the weights with the lowest loss on held-out ones."""
    schedule = settings.training
    seed_all(schedule.seed)
    tokenizer = load_fast_tokenizer(encoder, settings.max_length)
    model = load_frozen_model(encoder)
    shape = {"reduction": settings.reduction, "invertible_reduction": settings.invertible_reduction}
    add_language_adapter(model, **shape)
    if settings.train_head:
        _free_head(model)
    texts = read_corpus({language: corpus}, tokenizer.backend_tokenizer, settings)
    history = train(
        model,
        lambda batch: masked_loss(model, batch),
        masked_stream(texts, tokenizer, settings),
        schedule,
        masked_validation(model, texts, tokenizer, settings),
        checkpoint,
        best="lowest",
        label=f"adapter of {language}",
        sharing=BY_MASKED,
    )
    LOG.info("validation loss %.4f at step %d", history.best.metric, history.best.step)
    save_language_adapter(output, model, shape, history)
    if checkpoint:
        checkpoint.remove()
    return history


def load_frozen_model(encoder: Path) -> nn.Module:
    """Load a masked language model of which nothing will be trained; it must bring its own head."""
    model, loaded = AutoModelForMaskedLM.from_pretrained(encoder, output_loading_info=True, **WEIGHTS)
    if lacking := sorted(loaded["missing_keys"]):
        raise InputError(
            f"{encoder}: has no weights for {lacking[0]}: adapters need an encoder with its masked "
            "language model's head; take the whole model"
        )
    return model.requires_grad_(False)


def _free_head(model: nn.Module) -> None:
    """Have the head learn, except for the output embeddings: they are the input embeddings as well."""
    vocabulary_head(model).requires_grad_(True)
    model.get_input_embeddings().requires_grad_(False)


def save_language_adapter(output: Path, model: nn.Module, shape: dict[str, int], history: History) -> None:
    """Write the adapter alone, without the model it is in, and notes on how it was built."""
    weights = model.base_model.state_dict()
    with whole_folder(output) as folder:
        own = {name: weights[name].cpu().contiguous() for name in adapter_names(model)}
        save_file(own, folder / ADAPTER_FILE)
        notes = {"adapter": shape, "history": history.as_dict()}
        (folder / NOTES).write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")
