"""Samples of a language's examples with skewed class shares, reproducible by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xstitch.core.draws import EXPONENT_STEPS, NORMAL, bell, exponentials, weighted_without_replacement
from xstitch.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

STRONGEST = 4  # at this tilt nearly all examples are of one or two classes


def class_counts(examples: pd.DataFrame, labels: Sequence[str]) -> np.ndarray:
    """Count the classes in every example: one per text, one per word in a sentence."""
    numbers = {label: number for number, label in enumerate(labels)}
    if "tags" not in examples:
        return np.eye(len(labels), dtype=np.int64)[[numbers[label] for label in examples["label"]]]
    rows = [np.bincount([numbers[tag] for tag in tags], minlength=len(labels)) for tags in examples["tags"]]
    return np.array(rows, dtype=np.int64)


def draw_samples(counts: np.ndarray, sets: int, size: int, seed: int) -> list[np.ndarray]:
    """Draw sets of examples without replacement, from even sets to sets of nearly one class.

    Each set has a random preference for classes; the chance of an example grows with the exponential of its
    classes' preference. Preferences grow from the first set to the last. A sentence has several classes, so
    no choice of sentences has exactly a given prior; the prior of each set is measured afterwards. `counts`
    has how often each class occurs in every example. All arithmetic is in integers, so that a processor's
    rounding cannot change the set.
    """
    if size > len(counts):
        raise InputError(f"samples: size is {size}, but there are {len(counts)} examples")
    words, samples = np.maximum(1, counts.sum(axis=1)), []
    for number in range(sets):
        rng = np.random.default_rng((seed, number))
        tilt = STRONGEST * EXPONENT_STEPS * number * bell(rng, (counts.shape[1],)) // max(1, sets - 1)
        preference = counts @ tilt // (words * NORMAL)  # in steps of an exponent
        below = preference.max() - preference
        weights = exponentials(int(below.max()))[below] + 1  # nothing is impossible
        samples.append(np.sort(weighted_without_replacement(rng, weights, size)))
    return samples


def draw_with_prior(gold: np.ndarray, prior: np.ndarray, seed: int) -> np.ndarray:
    """Draw the largest set of examples whose classes have exactly the given prior, up to rounding."""
    rng = np.random.default_rng(seed)
    available = np.bincount(gold, minlength=len(prior))
    wanted = prior > 0
    size = np.min(available[wanted] / prior[wanted])
    rows = [
        rng.permutation(np.flatnonzero(gold == label))[: int(size * share + 1e-9)]
        for label, share in enumerate(prior)
    ]
    return np.sort(np.concatenate(rows))


def skewed_rows(
    examples: pd.DataFrame, labels: Sequence[str], skew: Mapping[str, Any], seed: int
) -> np.ndarray:
    """Choose rows of skewed data: texts whose labels have a `prior`, or sentences `containing` a label."""
    if "prior" in skew:
        prior = np.array(skew["prior"], dtype=np.float64)
        if len(prior) != len(labels) or prior.min() < 0 or prior.sum() <= 0:
            raise InputError(f"skew: prior needs {len(labels)} shares, one per label ({', '.join(labels)})")
        gold = class_counts(examples, labels).argmax(axis=1)
        return draw_with_prior(gold, prior / prior.sum(), seed)
    containing = np.flatnonzero([skew["containing"] in tags for tags in examples["tags"]])
    if not len(containing):
        raise InputError(f"skew: no sentence has the label {skew['containing']!r}")
    return containing


def item_prior(examples: pd.DataFrame, labels: Sequence[str]) -> np.ndarray:
    """Return the shares of the labels among all texts, or among all words."""
    column = "label" if "label" in examples else "tags"
    values = examples[column] if column == "label" else examples[column].explode()
    counts = values.value_counts()
    by_label = np.array([counts.get(label, 0) for label in labels])
    return by_label / by_label.sum()
