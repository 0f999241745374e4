"""Text classification: fine-tuning an encoder folder, and predicting with the folder that results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from xstitch.batching import BatchStream, Ragged, bucketed_batches
from xstitch.checkpoints import Checkpoint
from xstitch.errors import InputError
from xstitch.files import whole_folder
from xstitch.metrics import macro_f1
from xstitch.models import load_classifier, load_tokenizer, save_model
from xstitch.training import History, Plan, choose_device, evaluating, move, seed_all, train

if TYPE_CHECKING:
    import pandas as pd

EVALUATION_BATCH = 64


@dataclass(frozen=True)
class Predictions:
    """The likeliest label of each text, and the probabilities of all labels (texts x labels)."""

    labels: list[str]
    probabilities: np.ndarray


@dataclass(frozen=True)
class _Texts:
    """Tokenised texts."""

    ids: Ragged
    padding: int

    @classmethod
    def tokenise(cls, tokenizer: Any, texts: Sequence[str], max_length: int) -> _Texts:
        """Tokenise all texts at once, cutting those that are too long."""
        if max_length > tokenizer.model_max_length:
            limit = tokenizer.model_max_length
            raise InputError(f"max_length is {max_length}, but the encoder takes {limit} tokens at most")
        encoded = tokenizer(list(texts), truncation=True, max_length=max_length, return_attention_mask=False)
        return cls(Ragged.from_lists(encoded["input_ids"]), tokenizer.pad_token_id)

    def collate(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """The inputs of some texts, padded to the longest of them."""
        ids, attention = self.ids.padded(rows, self.padding)
        return {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(attention)}


def finetune_classifier(
    encoder: Path,
    training: pd.DataFrame,
    dev: pd.DataFrame,
    labels: Sequence[str],
    plan: Plan,
    max_length: int,
    output: Path,
    checkpoint: Checkpoint | None = None,
    embeddings: np.ndarray | None = None,
    freeze_embeddings: bool = False,
) -> History:
    """Fine-tune an encoder folder on columns text and label; keep the weights with the best dev macro-F1.

    `embeddings` takes the place of the input-embedding table first. The output is a whole transformers
    folder (`save_model`), written when training is over.
    """
    seed_all(plan.seed)
    tokenizer, model = load_tokenizer(encoder), load_classifier(encoder, labels)
    if embeddings is not None:
        replace_embeddings(model, embeddings)
    model.get_input_embeddings().weight.requires_grad_(not freeze_embeddings)
    texts = _Texts.tokenise(tokenizer, training["text"], max_length)
    gold = torch.from_numpy(label_numbers(training["label"], labels, "training"))

    def collate(rows: np.ndarray) -> dict[str, torch.Tensor]:
        return {**texts.collate(rows), "labels": gold[rows]}

    history = train(
        model,
        lambda batch: nn.functional.cross_entropy(_logits(model, batch), batch["labels"]),
        BatchStream(texts.ids.lengths, plan.batch_size, plan.seed, collate),
        plan,
        _dev_score(model, _Texts.tokenise(tokenizer, dev["text"], max_length), dev["label"], labels),
        checkpoint,
        label="fine-tuning",
    )
    with whole_folder(output) as partial:
        save_model(partial, model, tokenizer, history)
    if checkpoint:
        checkpoint.remove()
    return history


def replace_embeddings(model: nn.Module, embeddings: np.ndarray) -> None:
    """Put another table of the same shape into a model's input embeddings."""
    table = model.get_input_embeddings().weight
    if embeddings.shape != tuple(table.shape):
        raise InputError(
            f"embeddings are {embeddings.shape}, but the encoder's table is {tuple(table.shape)}"
        )
    table.data.copy_(torch.from_numpy(np.ascontiguousarray(embeddings)))


def label_numbers(values: Sequence[str], labels: Sequence[str], split: str) -> np.ndarray:
    """Labels as numbers, refusing an unknown one and an empty split."""
    numbers = {label: number for number, label in enumerate(labels)}
    unknown = sorted(set(values) - set(numbers))
    if unknown:
        raise InputError(f"{split} data: label {unknown[0]!r} is not one of {', '.join(labels)}")
    if not len(values):
        raise InputError(f"{split} data: no examples")
    return np.array([numbers[value] for value in values], dtype=np.int64)


def predict(folder: Path, texts: Sequence[str], max_length: int, batch_size: int = 64) -> Predictions:
    """Classify texts with a fine-tuned folder; answers come in the order of the texts."""
    model = load_classifier(folder).to(choose_device())
    tokenised = _Texts.tokenise(load_tokenizer(folder), texts, max_length)
    with evaluating(model):
        logits = _all_logits(model, _batches(tokenised, batch_size))
    names = [model.config.id2label[number] for number in range(logits.shape[1])]
    return Predictions([names[i] for i in logits.argmax(axis=1)], _softmax(logits))


def _softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _logits(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """Scores of the labels for a batch."""
    return model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits


def _batches(texts: _Texts, batch_size: int) -> list[tuple[np.ndarray, dict[str, torch.Tensor]]]:
    """All texts in batches of like length, each with the rows it holds, on the right device."""
    order = bucketed_batches(texts.ids.lengths, batch_size, 0, 0, shuffle=False)
    return [(rows, move(texts.collate(rows), choose_device())) for rows in order]


def _all_logits(model: nn.Module, batches: list[tuple[np.ndarray, dict[str, torch.Tensor]]]) -> np.ndarray:
    """Scores of the labels for all texts, in the texts' own order."""
    logits = torch.cat([_logits(model, batch).float().cpu() for _, batch in batches]).numpy()
    restored = np.empty_like(logits)
    restored[np.concatenate([rows for rows, _ in batches])] = logits
    return restored


def _dev_score(
    model: nn.Module, texts: _Texts, gold: Sequence[str], labels: Sequence[str]
) -> Callable[[], float]:
    """Make the function that returns macro-F1 on the development data; its batches are made once."""
    numbers = label_numbers(gold, labels, "development")
    batches = _batches(texts, EVALUATION_BATCH)
    classes = range(len(labels))
    return lambda: macro_f1(numbers, _all_logits(model, batches).argmax(axis=1), classes)
