"""How far apart two languages are: in the features of their classes and in their class priors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from xstitch.core.progress import progress
from xstitch.encoders.inputs import run_model
from xstitch.models.transfer.domains import Domain, answer, load_domain, load_model
from xstitch.models.transfer.sampling import class_counts, draw_samples
from xstitch.results.metrics import macro_f1
from xstitch.training.devices import choose_device, evaluating, move

if TYPE_CHECKING:
    import pandas as pd

WHOLE = "all"  # the sample that is all of a language
POOLINGS = ("cls", "mean")  # the first token's state; the mean of all tokens' states


def total_variation(first: np.ndarray, second: np.ndarray) -> float:
    """Return half the l1 distance of two distributions: the share that would have to move."""
    return float(np.abs(np.asarray(first) - np.asarray(second)).sum() / 2)


def prior_correction(true: np.ndarray, assumed: np.ndarray, estimated: np.ndarray) -> float:
    """Return the share of a prior shift that an estimate corrects: 1 is perfect, 0 is assuming no shift."""
    shift = total_variation(true, assumed)
    return (shift - total_variation(true, estimated)) / shift if shift else float("nan")


def conditional_shift(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Average over classes the l1 distance of mean features (eq. 1 and 2).

    Both arguments are sums of features by class (..., classes, layers, width + 1), with the number of items
    last. Classes that one side lacks are left out.
    """
    counts = np.minimum(source[..., -1], target[..., -1])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [sums[..., :-1] / sums[..., -1:] for sums in (source, target)]
        distance = np.abs(means[0] - means[1]).sum(axis=-1)
    shared = counts > 0
    return np.where(shared, distance, 0.0).sum(axis=-2) / shared.sum(axis=-2)


@dataclass(frozen=True)
class Measured:
    """A model's features and predictions for samples of a language.

    For each pooling, `sums` has features summed by sample, class and layer (samples x classes x layers x
    width + 1, with the number of items last); `predicted` and `gold` are the labels of all items.
    """

    sums: dict[str, np.ndarray]
    predicted: np.ndarray
    gold: np.ndarray

    def score(self, chosen: np.ndarray, classes: int) -> float:
        """Return macro-F1 on some items."""
        return macro_f1(self.gold[chosen], self.predicted[chosen], range(classes))

    def prior(self, chosen: np.ndarray, classes: int) -> np.ndarray:
        """Return the shares of the classes among some items."""
        return np.bincount(self.gold[chosen], minlength=classes) / len(chosen)


def measure(
    folder: Path,
    examples: pd.DataFrame,
    labels: Sequence[str],
    max_length: int,
    samples: Sequence[np.ndarray],
    batch_size: int = 64,
) -> tuple[Domain, Measured]:
    """Run a model over a language once; sum the hidden states of every layer by sample and class.

    Samples are rows of `examples`. Only one batch of states and the sums are in memory. Texts have states of
    both poolings; words have the states of their first subwords, under the name cls.
    """
    model = load_model(folder, examples).to(choose_device())
    domain = load_domain(folder, examples, labels, max_length)
    poolings = POOLINGS if domain.first is None else POOLINGS[:1]
    members = _members(samples, len(examples))
    sums: dict[str, np.ndarray] = {}
    predicted, gold = np.zeros(len(domain.gold), dtype=np.int64), domain.gold
    with evaluating(model):
        for rows in progress(domain.inputs.batches(batch_size), f"measuring {folder}", unit="batch"):
            batch = move(domain.collate(rows), choose_device())
            answers, layers = _hidden(model, batch)
            items = answers.items.cpu().numpy()
            predicted[items] = answers.logits.argmax(dim=1).cpu().numpy()
            sizes = np.ones(len(rows), dtype=int) if domain.first is None else _words(batch)
            owners = domain.owners[np.repeat(rows, sizes)]
            for pooling in poolings:
                states = _pooled(layers, batch, pooling)
                _add(sums, pooling, states, gold[items], members[:, owners], len(labels))
    return domain, Measured(sums, predicted, gold)


def shift_records(
    model: Path,
    source: pd.DataFrame,
    target: pd.DataFrame,
    labels: Sequence[str],
    max_length: int,
    source_prior: np.ndarray,
    sets: int,
    size: int,
    seed: int,
    labelling: Mapping[str, str],
) -> Iterator[dict[str, str]]:
    """Yield a record per sample, pooling and layer; layer 0 is the embeddings, the last one the features.

    The last sample is the whole target. Every record starts with the columns of `labelling`.
    """
    _, whole = measure(model, source, labels, max_length, [np.arange(len(source))])
    # At most half of a small language is drawn: larger samples would be nearly identical.
    most = len(target) if sets == 1 else max(1, len(target) // 2)
    samples = draw_samples(class_counts(target, labels), sets, min(size, most), seed)
    samples.append(np.arange(len(target)))
    domain, measured = measure(model, target, labels, max_length, samples)
    for number, rows in enumerate(samples):
        items = domain.items_of(rows)
        score = measured.score(items, len(labels))
        shift = total_variation(measured.prior(items, len(labels)), source_prior)
        for pooling, sums in measured.sums.items():
            for layer, value in enumerate(conditional_shift(whole.sums[pooling][0], sums[number])):
                yield {
                    **labelling,
                    "sample": WHOLE if number == sets else str(number),
                    "prior_shift": f"{shift:.6f}",
                    "macro_f1": f"{score:.6f}",
                    "pooling": pooling,
                    "layer": str(layer),
                    "feature_shift": f"{value:.6f}",
                }


def _words(batch: dict[str, torch.Tensor]) -> np.ndarray:
    """Count the items in every row of a batch of sentences."""
    return (batch["items"] >= 0).sum(dim=1).cpu().numpy()


def _members(samples: Sequence[np.ndarray], count: int) -> np.ndarray:
    """Mark with 1 which examples (columns) are in which sample (rows)."""
    members = np.zeros((len(samples), count), dtype=np.float32)
    for number, rows in enumerate(samples):
        members[number, rows] = 1
    return members


def _hidden(model: nn.Module, batch: dict[str, torch.Tensor]) -> tuple[object, list[torch.Tensor]]:
    """Return the answers, and the states of the embeddings and all layers."""
    states = run_model(model.base_model, batch, output_hidden_states=True).hidden_states
    return answer(model, batch), list(states)


def _pooled(layers: list[torch.Tensor], batch: dict[str, torch.Tensor], pooling: str) -> np.ndarray:
    """Return the states of a batch's items (items x layers x width)."""
    stacked = torch.stack(layers, dim=2).float()
    if batch["items"].ndim == 2:
        return stacked[batch["items"] >= 0].cpu().numpy()
    if pooling == "cls":
        return stacked[:, 0].cpu().numpy()
    mask = batch["attention_mask"][:, :, None, None]
    return ((stacked * mask).sum(dim=1) / mask.sum(dim=1)).cpu().numpy()


def _add(
    sums: dict[str, np.ndarray],
    pooling: str,
    states: np.ndarray,
    gold: np.ndarray,
    members: np.ndarray,
    classes: int,
) -> None:
    """Add the states of some items to the sums of their samples and classes."""
    counted = np.concatenate([states, np.ones((*states.shape[:2], 1), dtype=states.dtype)], axis=2)
    if pooling not in sums:
        sums[pooling] = np.zeros((len(members), classes, *counted.shape[1:]), dtype=np.float64)
    for label in range(classes):
        chosen = gold == label
        sums[pooling][:, label] += np.tensordot(members[:, chosen], counted[chosen], axes=1)
