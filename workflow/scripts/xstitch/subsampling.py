"""Samples of a language's examples whose classes are skewed, by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xstitch.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

STRONGEST = 4.0  # tilt at which nearly all examples are of one or two classes


def class_shares(examples: pd.DataFrame, labels: Sequence[str]) -> np.ndarray:
    """Shares of the classes in every example: all of one for a text, those of its words for a sentence."""
    numbers = {label: number for number, label in enumerate(labels)}
    if "tags" not in examples:
        return np.eye(len(labels))[[numbers[label] for label in examples["label"]]]
    rows = [np.bincount([numbers[tag] for tag in tags], minlength=len(labels)) for tags in examples["tags"]]
    shares = np.array(rows, dtype=np.float64)
    return shares / np.maximum(1, shares.sum(axis=1, keepdims=True))


def draw_samples(shares: np.ndarray, sets: int, size: int, seed: int) -> list[np.ndarray]:
    """Draw sets of examples without replacement, from even ones to ones of nearly one class.

    Each set has a random preference for classes; the chance of an example grows with the exponential of its
    classes' preference. Preferences grow from the first set to the last. A sentence has several classes, so
    that no choice of sentences has exactly some wanted prior; what a set has is measured.
    """
    if size > len(shares):
        raise InputError(f"samples: size is {size}, but there are {len(shares)} examples")
    samples = []
    for number in range(sets):
        rng = np.random.default_rng((seed, number))
        tilt = STRONGEST * number / max(1, sets - 1) * rng.standard_normal(shares.shape[1])
        keys = shares @ tilt + rng.gumbel(size=len(shares))
        samples.append(np.sort(np.argsort(-keys, kind="stable")[:size]))
    return samples


def draw_with_prior(gold: np.ndarray, prior: np.ndarray, seed: int) -> np.ndarray:
    """Draw the largest set of examples whose classes have exactly some prior, up to rounding."""
    rng = np.random.default_rng(seed)
    held = np.bincount(gold, minlength=len(prior))
    wanted = prior > 0
    size = np.min(held[wanted] / prior[wanted])
    rows = [
        rng.permutation(np.flatnonzero(gold == label))[: int(size * share + 1e-9)]
        for label, share in enumerate(prior)
    ]
    return np.sort(np.concatenate(rows))


def skewed_rows(
    examples: pd.DataFrame, labels: Sequence[str], skew: Mapping[str, Any], seed: int
) -> np.ndarray:
    """Choose rows of skewed data: texts with a `prior` of their labels, sentences `containing` a label."""
    if "prior" in skew:
        prior = np.array(skew["prior"], dtype=np.float64)
        if len(prior) != len(labels) or prior.min() < 0 or prior.sum() <= 0:
            raise InputError(f"skew: prior needs {len(labels)} shares, one a label ({', '.join(labels)})")
        gold = class_shares(examples, labels).argmax(axis=1)
        return draw_with_prior(gold, prior / prior.sum(), seed)
    kept = np.flatnonzero([skew["containing"] in tags for tags in examples["tags"]])
    if not len(kept):
        raise InputError(f"skew: no sentence has the label {skew['containing']!r}")
    return kept


def item_prior(examples: pd.DataFrame, labels: Sequence[str]) -> np.ndarray:
    """Shares of the labels among all texts, or among all words."""
    column = "label" if "label" in examples else "tags"
    values = examples[column] if column == "label" else examples[column].explode()
    counts = values.value_counts()
    found = np.array([counts.get(label, 0) for label in labels], dtype=np.float64)
    return found / found.sum()
