"""Training: batches of similar length, and fine-tuning as a whole."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from bench import Bench
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, Trainer, TrainingArguments

from xstitch.encoders.folders import load_classifier, load_tokenizer
from xstitch.encoders.wordpiece import SPECIAL, train_wordpiece
from xstitch.models.classification import finetune_classifier
from xstitch.training.batches import bucketed_batches
from xstitch.training.schedule import Schedule

LABELS = ("a", "b", "c")
BATCH = 32


def bench_length_buckets() -> Bench:
    """One pass of a small BERT over 2,000 texts of 5 to 100 tokens."""
    torch.manual_seed(0)
    lengths = np.random.default_rng(0).integers(5, 100, size=2000)
    model = BertModel(
        BertConfig(
            vocab_size=1000, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256
        )
    ).eval()

    def run(batches: list[np.ndarray]) -> None:
        with torch.inference_mode():
            for rows in batches:
                width = int(lengths[rows].max())
                mask = torch.from_numpy(np.arange(width) < lengths[rows][:, None]).long()
                model(input_ids=torch.ones_like(mask), attention_mask=mask)

    unsorted = np.array_split(np.random.default_rng(1).permutation(2000), 2000 // 32)
    return Bench(
        "batches in random order, padded to their longest text",
        lambda: run(unsorted),
        lambda: run(bucketed_batches(lengths, 32, 0, 0)),
        rounds=3,
    )


def bench_finetuning() -> Bench:
    """One epoch over 800 texts of 5 to 100 words, BERT of 4 layers and 128 dimensions, batches of 32."""
    texts, encoder = _texts(), Path(tempfile.mkdtemp())
    write_encoder(encoder, texts["text"])
    schedule = Schedule(learning_rate=1e-4, epochs=1, batch_size=BATCH)
    return Bench(
        "transformers' Trainer at its defaults: random batches of 32, padded to their longest text",
        lambda: _classify_with_trainer(encoder, texts),
        lambda: finetune_classifier(
            encoder, texts, texts[:8], LABELS, schedule, 128, Path(tempfile.mkdtemp()) / "model"
        ),
        rounds=3,
    )


def _texts() -> pd.DataFrame:
    random = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(500)])
    texts = [" ".join(random.choice(words, length)) for length in random.integers(5, 100, size=800)]
    return pd.DataFrame({"text": texts, "label": random.choice(LABELS, 800)})


def write_encoder(folder: Path, texts: Sequence[str]) -> None:
    """Save a random BERT of 4 layers and 128 dimensions with its own tokenizer."""
    tokenizer = train_wordpiece(list(texts), 700, lowercase=False)
    torch.manual_seed(0)
    size = {"hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 512}
    BertModel(BertConfig(vocab_size=tokenizer.get_vocab_size(), **size)).save_pretrained(folder)
    names = {f"{name}_token": token for name, token in SPECIAL.items()}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=128, **names).save_pretrained(folder)


def _classify_with_trainer(encoder: Path, texts: pd.DataFrame) -> None:
    tokenizer = load_tokenizer(encoder)
    encoded = tokenizer(list(texts["text"]), truncation=True, max_length=128)
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
    """Train for an epoch with transformers' defaults."""
    settings = TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=BATCH,
        num_train_epochs=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
    )
    Trainer(
        model=model, args=settings, train_dataset=rows, processing_class=tokenizer, data_collator=collate
    ).train()
