"""Fine-tuning a classifier, beside transformers' Trainer with batches of similar length."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import torch
from bench import Bench
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, Trainer, TrainingArguments

from xstitch.encoders.folders import load_classifier, load_tokenizer
from xstitch.encoders.wordpiece import SPECIAL, train_wordpiece
from xstitch.models import classification
from xstitch.models.classification import finetune_classifier
from xstitch.training.schedule import Schedule

LABELS = ("a", "b", "c")
BATCH, LENGTH, TEXTS = 32, 128, 320
BY_LENGTH = "Trainer by length"
SIZE = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
LAYER = 4 * 384**2 + 2 * 384 * 1536  # weights of a layer's products
KEYS = 2 * 384**2  # those of a last layer that all tokens are multiplied by, if only the first state is read


def bench_finetuning() -> Bench:
    """One epoch over 320 texts of 5 to 100 words, BERT of 6 layers and 384 dimensions, batches of 32."""
    texts, encoder = make_texts(), Path(tempfile.mkdtemp())
    write_encoder(encoder, texts["text"])
    tokenizer = load_tokenizer(encoder)
    tokens = sum(map(len, tokenizer(list(texts["text"]), truncation=True, max_length=LENGTH)["input_ids"]))
    products = tokens * (5 * LAYER + KEYS) + TEXTS * (LAYER - KEYS)
    return Bench(
        lambda: _finetune(encoder, texts),
        {
            BY_LENGTH: lambda: _classify_with_trainer(encoder, texts),
            "ours, padded": lambda: _finetune_padded(encoder, texts),
        },
        TEXTS,
        "texts",
        operations=6 * products,  # a multiplication and an addition: forward, and twice backward
        rounds=5,
    )


def bench_finetuning_bf16() -> Bench:
    """The same in bf16, beside float32; worth it on a processor that has instructions for bf16."""
    texts, encoder = make_texts(), Path(tempfile.mkdtemp())
    write_encoder(encoder, texts["text"])
    return Bench(
        lambda: _finetune(encoder, texts, bf16=True),
        {"ours in float32": lambda: _finetune(encoder, texts)},
        TEXTS,
        "texts",
        rounds=5,
    )


def _finetune(encoder: Path, texts: pd.DataFrame, bf16: bool = False) -> None:
    schedule = Schedule(learning_rate=1e-4, epochs=1, batch_size=BATCH, bf16=bf16)
    finetune_classifier(encoder, texts, texts[:8], LABELS, schedule, LENGTH, output())


def _finetune_padded(encoder: Path, texts: pd.DataFrame) -> None:
    """Do as with pinned kernels, or where sequences cannot be packed."""
    with mock.patch.object(classification, "pack_encoder"):
        _finetune(encoder, texts)


def output() -> Path:
    """Name a folder for a model."""
    return Path(tempfile.mkdtemp()) / "model"


def make_texts(number: int = TEXTS) -> pd.DataFrame:
    """Draw texts of 5 to 100 words, with labels."""
    random = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(500)])
    texts = [" ".join(random.choice(words, length)) for length in random.integers(5, 100, size=number)]
    return pd.DataFrame({"text": texts, "label": random.choice(LABELS, number)})


def write_encoder(folder: Path, texts: Sequence[str], **size: int) -> None:
    """Save a random BERT with its own tokenizer."""
    tokenizer = train_wordpiece(list(texts), 700, lowercase=False)
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=tokenizer.get_vocab_size(), **(size or SIZE))).save_pretrained(folder)
    names = {f"{name}_token": token for name, token in SPECIAL.items()}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=LENGTH, **names).save_pretrained(
        folder
    )


def _classify_with_trainer(encoder: Path, texts: pd.DataFrame) -> None:
    tokenizer = load_tokenizer(encoder)
    encoded = tokenizer(list(texts["text"]), truncation=True, max_length=LENGTH)
    rows = [
        {"input_ids": ids, "attention_mask": mask, "labels": LABELS.index(label)}
        for ids, mask, label in zip(
            encoded["input_ids"], encoded["attention_mask"], texts["label"], strict=True
        )
    ]
    train_with_trainer(load_classifier(encoder, LABELS), rows, tokenizer)


def train_with_trainer(
    model: torch.nn.Module, rows: list[dict[str, Any]], tokenizer: Any, collate: Callable | None = None
) -> None:
    """Train for an epoch in batches of similar length; save the model, as ours does."""
    folder = tempfile.mkdtemp()
    settings = TrainingArguments(
        output_dir=folder,
        per_device_train_batch_size=BATCH,
        train_sampling_strategy="group_by_length",
        num_train_epochs=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
    )
    trainer = Trainer(
        model=model, args=settings, train_dataset=rows, processing_class=tokenizer, data_collator=collate
    )
    trainer.train()
    trainer.save_model(folder)
