"""Classifiers without fine-tuning: logistic regression on the states of an encoder that stays as it is.

Layer, pooling and strength are chosen by the loss on development texts of the source language, so that a
language swapped in later has no part in any choice. What is written is an ordinary transformers folder.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from torch import nn

from xstitch.core.errors import InputError
from xstitch.core.files import load_npz, save_npz, whole_folder
from xstitch.core.progress import progress
from xstitch.encoders.folders import load_body, load_tokenizer, save_model
from xstitch.encoders.inputs import Inputs, run_model
from xstitch.models.classification import label_numbers, tokenise_texts
from xstitch.models.pooled_classifier import LINEAR, load_pooled, pooled_states, set_head
from xstitch.models.settings.frozen import FrozenSettings, Pooling
from xstitch.training.devices import choose_device, evaluating, evaluation_batches, move
from xstitch.training.history import History

if TYPE_CHECKING:
    import pandas as pd

LOG = logging.getLogger("xstitch")
HELD_OUT = 5  # without development texts, one in so many training texts takes their place
ITERATIONS = 2000
MOMENTS = "features.npz"
CHOICE = "head.json"
NEVER = -1e4  # the score of a label without training texts


class Choice(NamedTuple):
    """A layer, a pooling and a strength, with their loss on development texts."""

    loss: float
    layer: int
    pooling: Pooling
    strength: float


class Standardised(NamedTuple):
    """Mean and spread of features; a feature that does not vary keeps a spread of 1."""

    mean: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, features: np.ndarray) -> Standardised:
        """Measure features (texts x width)."""
        mean, spread = features.mean(axis=0, dtype=np.float64), features.std(axis=0, dtype=np.float64)
        return cls(mean, np.where(spread > 0, spread, 1.0))

    def apply(self, features: np.ndarray) -> np.ndarray:
        """Centre features and give each a spread of 1."""
        return (features - self.mean) / self.spread

    def scaled(self, factor: float) -> Standardised:
        """Return what the features multiplied by a factor have."""
        return Standardised(self.mean * factor, self.spread * factor)

    def save(self, folder: Path) -> None:
        """Write them next to a model whose head was fitted to such features."""
        save_npz(folder / MOMENTS, **self._asdict())

    @classmethod
    def load(cls, folder: Path) -> Standardised:
        """Read what `save` wrote."""
        return cls(**load_npz(folder / MOMENTS))


def fit_head(
    encoder: Path,
    training: pd.DataFrame,
    dev: pd.DataFrame | None,
    labels: Sequence[str],
    settings: FrozenSettings,
    max_length: int,
    output: Path,
) -> Choice:
    """Fit a head to the states of a frozen encoder on columns text and label; write a transformers folder.

    Of more texts than the settings want, every n-th is read.
    """
    training, dev = _split(training, dev, settings.texts)
    gold = [
        label_numbers(rows["label"], labels, split)
        for split, rows in (("training", training), ("development", dev))
    ]
    if len(set(gold[0])) < 2:
        raise InputError("training data: all texts have one label; a head needs two")
    tokenizer, body = load_tokenizer(encoder), load_body(encoder)
    sides = [
        layer_features(body, tokenise_texts(tokenizer, rows["text"], None, max_length), settings)
        for rows in (training, dev)
    ]
    choice = min(_tried(sides, gold, len(labels), settings), key=lambda tried: tried.loss)
    LOG.info(
        "layer %d, %s state, strength %g: loss %.4f on development texts",
        *(choice.layer, choice.pooling, choice.strength, choice.loss),
    )
    features = sides[0][choice.layer, choice.pooling]
    model = load_pooled(encoder, labels, choice.layer, choice.pooling)
    moments = Standardised.of(features)
    head = regression(moments.apply(features), gold[0], choice.strength)
    set_head(model, *folded(head, moments, len(labels)))
    with whole_folder(output) as folder:
        save_model(folder, model, tokenizer, History())
        moments.scaled(LINEAR).save(folder)
        (folder / CHOICE).write_text(json.dumps(choice._asdict(), indent=2) + "\n", encoding="utf-8")
    return choice


def _split(
    training: pd.DataFrame, dev: pd.DataFrame | None, limit: int | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Thin out both sides to a number of texts; without development texts, hold out some training texts."""
    training = thinned(training, limit)
    if dev is not None:
        return training, thinned(dev, limit)
    held_out = np.arange(len(training)) % HELD_OUT == HELD_OUT - 1
    return training[~held_out], training[held_out]


def thinned(rows: pd.DataFrame, limit: int | None) -> pd.DataFrame:
    """Keep every n-th row, so that no more are left than the limit."""
    return rows.iloc[:: max(1, -(-len(rows) // limit) if limit else 1)]


def layer_features(
    body: nn.Module, texts: Inputs, settings: FrozenSettings
) -> dict[tuple[int, Pooling], np.ndarray]:
    """Pool the states of every text (texts x width), by layer and pooling."""
    device, eps = choose_device(), body.config.layer_norm_eps
    body.to(device)
    layers = settings.layers or range(1, body.config.num_hidden_layers + 1)
    if max(layers) > body.config.num_hidden_layers:
        raise InputError(f"layers: {max(layers)}, but the encoder has {body.config.num_hidden_layers}")
    shape = len(texts.ids.lengths), body.config.hidden_size
    found = {key: np.empty(shape, dtype=np.float32) for key in product(layers, settings.pooling)}
    with evaluating(body):
        for rows in progress(evaluation_batches(texts.ids.lengths, device), "encoding", unit="batch"):
            batch = move(texts.collate(rows), device)
            states = run_model(body, batch, output_hidden_states=True).hidden_states
            for (layer, pooling), features in found.items():
                pooled = pooled_states(states[layer], batch["attention_mask"], pooling, eps)
                features[rows] = pooled.float().cpu().numpy()
    return found


def _tried(
    sides: Sequence[dict[tuple[int, Pooling], np.ndarray]],
    gold: Sequence[np.ndarray],
    number: int,
    settings: FrozenSettings,
) -> Iterator[Choice]:
    """Try every layer, pooling and strength; of equal losses, the first tried counts."""
    train, dev = sides
    for (layer, pooling), strength in progress([*product(train, settings.strengths)], "heads", unit="head"):
        moments = Standardised.of(train[layer, pooling])
        head = regression(moments.apply(train[layer, pooling]), gold[0], strength)
        answers = np.full((len(dev[layer, pooling]), number), 1e-12)
        answers[:, head.classes_] = head.predict_proba(moments.apply(dev[layer, pooling]))
        answers /= answers.sum(axis=1, keepdims=True)
        yield Choice(log_loss(gold[1], answers, labels=range(number)), layer, pooling, strength)


def regression(features: np.ndarray, gold: np.ndarray, strength: float) -> LogisticRegression:
    """Fit a head to standardised features."""
    return LogisticRegression(C=strength, max_iter=ITERATIONS).fit(features, gold)


def folded(head: LogisticRegression, moments: Standardised, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Fold the standardisation of features into a head's weights (labels x width) and bias."""
    coefficients, intercept = head.coef_, head.intercept_
    if len(head.classes_) == 2:  # scikit-learn has one row for two classes
        coefficients, intercept = (np.concatenate([-part, part]) / 2 for part in (coefficients, intercept))
    weights, bias = np.zeros((number, coefficients.shape[1])), np.full(number, NEVER)
    weights[head.classes_] = coefficients / moments.spread
    bias[head.classes_] = intercept - weights[head.classes_] @ moments.mean
    return weights, bias
