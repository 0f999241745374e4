"""Classification of texts and pairs of texts: fine-tune an encoder folder, then predict with the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.encoders.adapters import AdapterStack, restore_adapters, stack_adapters
from xstitch.encoders.folders import load_classifier, load_tokenizer, save_trained, set_embeddings
from xstitch.encoders.inputs import Inputs, run_model
from xstitch.encoders.packed.encoder import pack_encoder
from xstitch.results.metrics import macro_f1
from xstitch.training.batches import BatchStream, Ragged, scheduled_batches
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, evaluating, move, seed_all
from xstitch.training.history import History
from xstitch.training.loop import held_out_loss, train
from xstitch.training.schedule import Schedule
from xstitch.training.shares import Rows

if TYPE_CHECKING:
    import pandas as pd

EVALUATION_BATCH = 64
BLOCK = 10_000  # texts tokenised at once: what a tokenizer returns takes thirty times the memory of the ids


@dataclass(frozen=True)
class Predictions:
    """The most likely label of each text, and the probabilities of all labels (texts x labels)."""

    labels: list[str]
    probabilities: np.ndarray


@dataclass(frozen=True)
class Finetuning:
    """A classifier before its first update, and the texts it learns from with the numbers of their labels."""

    model: nn.Module
    tokenizer: Any
    texts: Inputs
    gold: np.ndarray

    def loss(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the cross-entropy of a batch."""
        return nn.functional.cross_entropy(_logits(self.model, batch), batch["labels"])

    def stream(self, schedule: Schedule) -> BatchStream:
        """Return an endless stream of the texts."""
        return scheduled_batches(self.texts.ids.lengths, schedule, _collator(self.texts, self.gold))


def tokenise_texts(
    tokenizer: Any, texts: Sequence[str], second: Sequence[str] | None, max_length: int
) -> Inputs:
    """Tokenise texts or pairs and truncate those that are too long; in a pair, the longer text is cut."""
    if max_length > tokenizer.model_max_length:
        limit = tokenizer.model_max_length
        raise InputError(f"max_length is {max_length}, but the encoder takes {limit} tokens at most")
    sides = [list(texts)] if second is None else [list(texts), list(second)]
    ids, types = [], []
    for start in range(0, max(1, len(sides[0])), BLOCK):
        block = [side[start : start + BLOCK] for side in sides]
        encoded = tokenizer(*block, truncation=True, max_length=max_length, return_attention_mask=False)
        ids.append(Ragged.from_lists(encoded["input_ids"]))
        if second is not None and "token_type_ids" in encoded:
            types.append(Ragged.from_lists(encoded["token_type_ids"]))
    return Inputs(Ragged.join(ids), tokenizer.pad_token_id, Ragged.join(types) if types else None)


def finetune_classifier(
    encoder: Path,
    training: pd.DataFrame,
    dev: pd.DataFrame | None,
    labels: Sequence[str],
    schedule: Schedule,
    max_length: int,
    output: Path,
    checkpoint: Checkpoint | None = None,
    embeddings: np.ndarray | None = None,
    freeze_embeddings: bool = False,
    adapters: AdapterStack | None = None,
) -> History:
    """Fine-tune an encoder folder on columns text and label.

    The weights with the best macro-F1 on `dev` are kept, or those that the schedule names; without `dev`, the
    last. With a column second, pairs of texts are classified. `embeddings` replaces the input-embedding table
    before training; with `adapters`, only a task adapter and the head are trained. The output is a complete
    transformers folder (`save_trained`), written after training.
    """
    start = start_finetuning(
        encoder, training, labels, schedule, max_length, embeddings, freeze_embeddings, adapters
    )
    model, tokenizer = start.model, start.tokenizer
    by_loss = schedule.keep == "lowest-loss"

    def evaluation(dev: pd.DataFrame) -> Callable[[], float]:
        held_out = tokenise_texts(tokenizer, dev["text"], dev.get("second"), max_length)
        gold = label_numbers(dev["label"], labels, "development")
        if by_loss:
            return _dev_loss(start.loss, held_out, gold)
        return _dev_score(model, held_out, gold, labels)

    history = train(
        model,
        start.loss,
        start.stream(schedule),
        schedule,
        None if dev is None else evaluation(dev),
        checkpoint,
        best="lowest" if by_loss else "highest",
        label="fine-tuning",
        sharing=Rows(),
    )
    save_trained(output, model, tokenizer, history, checkpoint)
    return history


def start_finetuning(
    encoder: Path,
    training: pd.DataFrame,
    labels: Sequence[str],
    schedule: Schedule,
    max_length: int,
    embeddings: np.ndarray | None = None,
    freeze_embeddings: bool = False,
    adapters: AdapterStack | None = None,
) -> Finetuning:
    """Give an encoder a new head and tokenise what it learns from, as in `finetune_classifier`."""
    seed_all(schedule.seed)
    tokenizer, model = load_tokenizer(encoder), load_classifier(encoder, labels)
    set_embeddings(model, embeddings, freeze_embeddings)
    if adapters is not None:
        stack_adapters(model, adapters)
    pack_encoder(model, first=True)
    texts = tokenise_texts(tokenizer, training["text"], training.get("second"), max_length)
    return Finetuning(model, tokenizer, texts, label_numbers(training["label"], labels, "training"))


def label_numbers(values: Sequence[str], labels: Sequence[str], split: str) -> np.ndarray:
    """Turn labels into numbers; refuse unknown labels and an empty split."""
    numbers = {label: number for number, label in enumerate(labels)}
    unknown = sorted(set(values) - set(numbers))
    if unknown:
        raise InputError(f"{split} data: label {unknown[0]!r} is not one of {', '.join(labels)}")
    if not len(values):
        raise InputError(f"{split} data: no examples")
    return np.array([numbers[value] for value in values], dtype=np.int64)


def predict_labels(
    folder: Path,
    texts: Sequence[str],
    max_length: int,
    second: Sequence[str] | None = None,
    batch_size: int = EVALUATION_BATCH,
) -> Predictions:
    """Classify texts or pairs with a fine-tuned folder; predictions are in the order of the texts."""
    model = load_classifier(folder)
    restore_adapters(model, folder)
    pack_encoder(model, first=True)
    model.to(choose_device())
    tokenised = tokenise_texts(load_tokenizer(folder), texts, second, max_length)
    with evaluating(model):
        batches = progress(_batches(tokenised, batch_size), "reading", unit="batch")
        logits = _all_logits(model, batches)
    names = [model.config.id2label[number] for number in range(logits.shape[1])]
    return Predictions([names[i] for i in logits.argmax(axis=1)], _softmax(logits))


def _softmax(logits: np.ndarray) -> np.ndarray:
    """Turn each row of scores into probabilities."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _logits(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """Score the labels for each text of a batch."""
    return run_model(model, batch).logits


def _batches(texts: Inputs, batch_size: int) -> list[tuple[np.ndarray, dict[str, torch.Tensor]]]:
    """Batch texts of similar length; each batch comes with its row numbers and is on the right device."""
    return [(rows, move(texts.collate(rows), choose_device())) for rows in texts.batches(batch_size)]


def _all_logits(
    model: nn.Module, batches: Iterable[tuple[np.ndarray, dict[str, torch.Tensor]]]
) -> np.ndarray:
    """Score the labels for all texts, in the order of the texts."""
    parts = [(rows, _logits(model, batch).float().cpu()) for rows, batch in batches]
    logits = torch.cat([scores for _, scores in parts]).numpy()
    restored = np.empty_like(logits)
    restored[np.concatenate([rows for rows, _ in parts])] = logits
    return restored


def _dev_score(
    model: nn.Module, texts: Inputs, gold: np.ndarray, labels: Sequence[str]
) -> Callable[[], float]:
    """Make the function that returns macro-F1 on the development data; the batches are made only once."""
    batches = _batches(texts, EVALUATION_BATCH)
    classes = range(len(labels))
    return lambda: macro_f1(gold, _all_logits(model, batches).argmax(axis=1), classes)


def _dev_loss(
    loss: Callable[[dict[str, torch.Tensor]], torch.Tensor], texts: Inputs, gold: np.ndarray
) -> Callable[[], float]:
    """Make the function that returns the mean loss over the development texts."""
    batches = texts.batches(EVALUATION_BATCH)
    return held_out_loss(loss, _collator(texts, gold), batches, lambda batch: len(batch["labels"]))


def _collator(texts: Inputs, gold: np.ndarray) -> Callable[[np.ndarray], dict[str, torch.Tensor]]:
    """Make the function that pads texts and adds their labels."""
    labels = torch.from_numpy(gold)
    return lambda rows: {**texts.collate(rows), "labels": labels[rows]}
