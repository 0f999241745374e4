"""A frozen model's head, fitted once more with the help of unlabelled texts of the target language.

Each language's features are standardised by its own texts. Self-training adds the surest target texts, with
the head's own answers as labels, to the source's texts; class weights move the head's answers to the priors
of the target's texts, as IWDA estimates them. The head remains a linear layer, the folder an ordinary one.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from xstitch.core.errors import InputError
from xstitch.core.files import read_json
from xstitch.encoders.folders import load_classifier
from xstitch.models.classification import label_numbers
from xstitch.models.frozen import CHOICE, ITERATIONS, Standardised, folded, regression, thinned
from xstitch.models.pooled_classifier import linear_head
from xstitch.models.settings.frozen import RefitSettings
from xstitch.models.standardising import head_features, save_with_head
from xstitch.models.transfer.importance import joint_counts, solve_weights
from xstitch.models.transfer.sureness import choose_sure

if TYPE_CHECKING:
    import pandas as pd

LOG = logging.getLogger("xstitch")
FOLDS = 5  # of the source's texts, to see how the head errs on texts that it has not seen


def refit_head(
    model: Path,
    source_model: Path,
    training: pd.DataFrame,
    texts: Sequence[str],
    labels: Sequence[str],
    settings: RefitSettings,
    max_length: int,
    output: Path,
) -> None:
    """Write a target language's model with a head fitted to labelled source texts and unlabelled own ones."""
    training = thinned(training, settings.texts)
    strength = _strength(source_model)
    source = head_features(source_model, list(training["text"]), max_length)
    target = head_features(model, texts, max_length)
    own = Standardised.of(target)
    known, unlabelled = Standardised.of(source).apply(source), own.apply(target)
    gold = label_numbers(training["label"], labels, "training")
    head = self_trained(known, gold, unlabelled, strength, settings)
    weights, bias = folded(head, own, len(labels))
    if settings.class_weights:
        bias[head.classes_] += prior_shift(head, known, gold, unlabelled, strength, settings.caution)
    classifier = load_classifier(model)
    with torch.no_grad():
        linear_head(classifier).weight.copy_(torch.from_numpy(weights))
        linear_head(classifier).bias.copy_(torch.from_numpy(bias))
    save_with_head(classifier, model, output)


def _strength(source_model: Path) -> float:
    """Look up the strength that was chosen when the head was first fitted."""
    if not (source_model / CHOICE).exists():
        raise InputError(f"{source_model}/{CHOICE}: missing; make the model again")
    return read_json(source_model / CHOICE)["strength"]


def self_trained(
    known: np.ndarray, gold: np.ndarray, unlabelled: np.ndarray, strength: float, settings: RefitSettings
) -> LogisticRegression:
    """Fit a head to known texts, then in every round also to the unlabelled ones it is surest of.

    A round takes the same number of texts of every class, and forgets the answers of the round before.
    """
    head = regression(known, gold, strength)
    for number in range(1, settings.rounds + 1):
        answers = head.predict_proba(unlabelled)
        rows = choose_sure(answers, round(settings.share * len(unlabelled)))
        LOG.info("round %d: %d of %d texts", number, len(rows), len(unlabelled))
        features = np.concatenate([known, unlabelled[rows]])
        head = regression(features, np.append(gold, head.classes_[answers[rows].argmax(axis=1)]), strength)
    return head


def prior_shift(
    head: LogisticRegression,
    known: np.ndarray,
    gold: np.ndarray,
    unlabelled: np.ndarray,
    strength: float,
    caution: float,
) -> np.ndarray:
    """Compute what to add to the scores of the head's classes, for the priors of unlabelled texts.

    It is the logarithm of the classes' weights. How often the head takes one class for another is counted on
    known texts that it was not fitted to.
    """
    number = int(gold.max()) + 1
    unfitted = LogisticRegression(C=strength, max_iter=ITERATIONS)
    held_out = cross_val_predict(unfitted, known, gold, cv=FOLDS)
    counts = np.bincount(head.predict(unlabelled), minlength=number)
    solved = solve_weights(joint_counts(held_out, gold, number), counts)[head.classes_]
    weights = (1 - caution) * solved + caution
    LOG.info("class weights: %s", ", ".join(f"{weight:.2f}" for weight in weights))
    return np.log(np.maximum(weights, np.finfo(float).tiny))
