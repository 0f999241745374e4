"""Languages as domains: tokenised examples and the items in them (texts or words) that a classifier labels.

Code that adapts a model to another language need not know whether it classifies texts or words: a batch says
where its items are, and a model's answer has one row per item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from xstitch.encoders.folders import load_classifier
from xstitch.encoders.inputs import Inputs, load_fast_tokenizer, run_model
from xstitch.models.classification import label_numbers, tokenise_texts
from xstitch.models.tagging import IGNORED, NONE, load_tagger, split_long, tokenise_words
from xstitch.sources.tasks.rows import Sentence
from xstitch.training.batches import BatchStream, Ragged, scheduled_batches
from xstitch.training.devices import choose_device, evaluating, evaluation_batches, half_precision, move
from xstitch.training.schedule import Schedule

if TYPE_CHECKING:
    import pandas as pd

WORDS = "words"  # the column that only tagged sentences have


@dataclass(frozen=True)
class Domain:
    """Tokenised examples of a language and the label numbers of their items.

    Without `first`, every example is one item; otherwise `first` has an item's number at the token that
    represents it. Long sentences are split: `owners` has the sentence number of each piece.
    """

    inputs: Inputs
    gold: np.ndarray
    owners: np.ndarray
    first: Ragged | None = None

    def __len__(self) -> int:
        """Return the number of examples, or of the pieces they are split into."""
        return len(self.inputs.ids)

    def collate(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Return the inputs of some examples with the numbers and labels of their items."""
        items = rows if self.first is None else self.first.padded(rows, NONE)[0]
        labels = np.where(items < 0, IGNORED, self.gold[items])
        return {
            **self.inputs.collate(rows),
            "items": torch.from_numpy(items),
            "labels": torch.from_numpy(labels),
        }

    def stream(self, schedule: Schedule, order: int = 0) -> BatchStream:
        """Return an endless stream of all examples; streams of different orders have different batches."""
        seeded = replace(schedule, seed=schedule.seed + order)
        return scheduled_batches(self.inputs.ids.lengths, seeded, self.collate)

    def items_of(self, examples: np.ndarray) -> np.ndarray:
        """Return the numbers of the items that the model sees in some examples."""
        rows = np.flatnonzero(np.isin(self.owners, examples))
        if self.first is None:
            return rows
        items, _ = self.first.padded(rows, NONE)
        return items[items >= 0]


@dataclass(frozen=True)
class Answers:
    """A model's output for items: features before its last layer and label scores; and the true labels."""

    features: torch.Tensor
    logits: torch.Tensor
    gold: torch.Tensor
    items: torch.Tensor


def is_tagging(examples: pd.DataFrame) -> bool:
    """Return whether examples are sentences of tagged words rather than labelled texts."""
    return WORDS in examples


def make_domain(tokenizer: Any, examples: pd.DataFrame, labels: Sequence[str], max_length: int) -> Domain:
    """Tokenise labelled texts (columns text, label, optionally second) or tagged sentences (words, tags)."""
    if not is_tagging(examples):
        inputs = tokenise_texts(tokenizer, examples["text"], examples.get("second"), max_length)
        gold = label_numbers(examples["label"], labels, "adaptation")
        return Domain(inputs, gold, np.arange(len(gold)))
    sentences = [
        Sentence(tuple(words), tuple(tags))
        for words, tags in zip(examples[WORDS], examples["tags"], strict=True)
    ]
    pieces = split_long(tokenizer, sentences, max_length)
    gold = label_numbers([tag for piece in pieces for tag in piece.tags], labels, "adaptation")
    words = tokenise_words(tokenizer, [piece.words for piece in pieces], max_length)
    ends = np.cumsum([len(sentence.words) for sentence in sentences])
    owners = np.searchsorted(ends, np.cumsum(words.sizes) - 1, side="right")
    return Domain(words.inputs, gold, owners, words.first)


def load_model(folder: Path, examples: pd.DataFrame, labels: Sequence[str] | None = None) -> nn.Module:
    """Load a tagger or classifier to fit the examples, with the head it has or a new one for `labels`."""
    return (load_tagger if is_tagging(examples) else load_classifier)(folder, labels)


def load_domain(folder: Path, examples: pd.DataFrame, labels: Sequence[str], max_length: int) -> Domain:
    """Tokenise examples for the model of a folder."""
    return make_domain(load_fast_tokenizer(folder, max_length), examples, labels, max_length)


def last_layer(model: nn.Module) -> nn.Linear:
    """Find the linear layer from features to labels, wherever the architecture has it."""
    layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
    return next(layer for layer in reversed(layers) if layer.out_features == model.config.num_labels)


def answer(model: nn.Module, batch: dict[str, torch.Tensor], table: nn.Embedding | None = None) -> Answers:
    """Run a model on a batch; `table` replaces its input embeddings if the language has its own."""
    features: list[torch.Tensor] = []
    hook = last_layer(model).register_forward_pre_hook(lambda _, inputs: features.append(inputs[0]))
    try:
        logits = run_model(model, batch if table is None else _embedded(batch, table)).logits
    finally:
        hook.remove()
    if logits.dtype != torch.float32 and not torch.is_grad_enabled():
        # Rounded to bf16, scores of many items are equal, and the order of the data would rank them.
        logits = _in_full(last_layer(model), features[0])
    chosen = batch["items"] >= 0
    gold, items = batch["labels"][chosen], batch["items"][chosen]
    return Answers(features[0][chosen], logits[chosen].float(), gold, items)


def _in_full(layer: nn.Linear, features: torch.Tensor) -> torch.Tensor:
    """Apply a layer in full precision."""
    with torch.autocast(features.device.type, enabled=False):
        return layer(features.float())


def _embedded(batch: dict[str, torch.Tensor], table: nn.Embedding) -> dict[str, torch.Tensor]:
    others = {name: part for name, part in batch.items() if name != "input_ids"}
    return {**others, "inputs_embeds": table(batch["input_ids"])}


def read(
    model: nn.Module,
    domain: Domain,
    take: Callable[[Answers], None],
    rows: np.ndarray | None = None,
    table: nn.Embedding | None = None,
) -> None:
    """Run a model on all examples, or on some, without training it; `take` gets the answers by batch."""
    rows = np.arange(len(domain)) if rows is None else rows
    device = choose_device()
    with evaluating(model), half_precision(device):
        for batch in evaluation_batches(domain.inputs.ids.lengths[rows], device):
            take(answer(model, move(domain.collate(rows[batch]), device), table))


def answer_items(model: nn.Module, domain: Domain, rows: np.ndarray | None = None) -> torch.Tensor:
    """Score the labels for every item, by its number, on the device; items the model does not see get NaN.

    With `rows`, the model sees these examples only.
    """
    scores = torch.full((len(domain.gold), model.config.num_labels), torch.nan, device=choose_device())

    def take(answers: Answers) -> None:
        scores[answers.items] = answers.logits

    read(model, domain, take, rows)
    return scores


def predict(model: nn.Module, domain: Domain) -> tuple[np.ndarray, np.ndarray]:
    """Return the true and the predicted label numbers of all items that the model sees, in order."""
    scores = answer_items(model, domain).cpu()
    items = scores[:, 0].isnan().logical_not().nonzero()[:, 0].numpy()
    return domain.gold[items], scores[items].argmax(dim=1).numpy()


class PairedStream:
    """Pairs of batches from two domains; an epoch is one of the source."""

    def __init__(self, source: BatchStream, target: BatchStream) -> None:
        self.parts = {"source": source, "target": target}

    def __len__(self) -> int:
        """Return the number of batches in an epoch of the source."""
        return len(self.parts["source"])

    def __next__(self) -> dict[str, Any]:
        return {name: next(part) for name, part in self.parts.items()}

    def position(self) -> dict[str, Any]:
        """Return the positions in both streams."""
        return {name: part.position() for name, part in self.parts.items()}

    def restore(self, position: dict[str, Any]) -> None:
        """Go to a position that `position` returned."""
        for name, part in self.parts.items():
            part.restore(position[name])
