"""A tiny random BERT with its own tokenizer, and corpora for it, written to disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import torch
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from xstitch.encoders import pretraining
from xstitch.encoders.folders import save_model
from xstitch.encoders.wordpiece import SPECIAL, train_wordpiece
from xstitch.training.devices import seed_all
from xstitch.training.history import History
from xstitch.training.schedule import Schedule


def write_corpus(path: Path, texts: Sequence[str], paragraphs: Sequence[int] | None = None) -> Path:
    """Write sentences as xstitch.sources.corpora does; without numbers, each is its own paragraph."""
    numbers = range(len(texts)) if paragraphs is None else paragraphs
    columns = {"document": [0] * len(texts), "paragraph": list(numbers), "text": list(texts)}
    pq.write_table(pa.table(columns), path, row_group_size=50)
    return path


def write_encoder(
    folder: Path, texts: Sequence[str], size: int = 120, layers: int = 3, width: int = 8
) -> Path:
    """Save a random BERT with larger weights than usual, so that contexts differ visibly."""
    tokenizer = train_wordpiece(texts, size, lowercase=False)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    names = {f"{name}_token": token for name, token in SPECIAL.items()}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, **names).save_pretrained(folder)
    return folder


def write_trainable(folder: Path, texts: Sequence[str]) -> Path:
    """Save a random BERT like those of the workflow: without dropout, and quick to learn small problems."""
    settings = pretraining.EncoderSettings(Schedule(learning_rate=1, steps=1), width=32, max_length=32)
    tokenizer = train_wordpiece(texts, 120, lowercase=False)
    seed_all(0)
    model = pretraining.new_model(tokenizer, settings)
    save_model(folder, model, pretraining.wrap(tokenizer, settings), History())
    return folder
