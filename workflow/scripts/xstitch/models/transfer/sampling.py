"""Samples of a language's examples with skewed class shares, reproducible by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xstitch.core.draws import EXPONENT_STEPS, NORMAL, bell, exponentials, weighted_without_replacement
from xstitch.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# The exponent at which the last set has an example that counts one unit less: a text whose class is liked one
# standard deviation less than the best, or the first sentence that would not be in a set of the best ones.
STRONGEST = 4
NEVER = 21 * EXPONENT_STEPS  # an exponential below this one is rounded to 0
ROUNDS = 5  # in which the ranks of sentences are found; hardly any changes afterwards


def class_counts(examples: pd.DataFrame, labels: Sequence[str]) -> np.ndarray:
    """Count the classes in every example: one per text, one per word in a sentence."""
    numbers = {label: number for number, label in enumerate(labels)}
    if "tags" not in examples:
        return np.eye(len(labels), dtype=np.int64)[[numbers[label] for label in examples["label"]]]
    rows = [np.bincount([numbers[tag] for tag in tags], minlength=len(labels)) for tags in examples["tags"]]
    return np.array(rows, dtype=np.int64)


def draw_samples(counts: np.ndarray, sets: int, size: int, seed: int) -> list[np.ndarray]:
    """Draw sets of examples without replacement, from even sets to sets of nearly one class.

    Each set likes some classes better than others, at random; the chance of an example falls exponentially
    with how much less liked its classes are, from the first set to the last ever faster. A sentence has
    several classes, so no choice of sentences has exactly a given prior; the prior of each set is measured
    afterwards. `counts` has how often each class occurs in every example. All arithmetic is in integers, so
    that a processor's rounding cannot change the set.
    """
    if size > len(counts):
        raise InputError(f"samples: size is {size}, but there are {len(counts)} examples")
    samples, last = [], max(1, sets - 1)
    for number in range(sets):
        rng = np.random.default_rng((seed, number))
        liking, strength = bell(rng, (counts.shape[1],)), STRONGEST * EXPONENT_STEPS * number
        if counts.sum(axis=1).max() == 1:
            preference = counts @ (strength * liking // last) // NORMAL
            below = preference.max() - preference
        else:
            below = strength * sentence_ranks(counts, liking, size) // (last * size)
        weights = exponentials(NEVER)[np.minimum(below, NEVER)] + 1  # nothing is impossible
        samples.append(np.sort(weighted_without_replacement(rng, weights, size)))
    return samples


def sentence_ranks(counts: np.ndarray, liking: np.ndarray, size: int) -> np.ndarray:
    """Rank sentences by what they add to a set of the `size` best: 0 for the best, equal ones share a rank.

    The best set is the one whose words have the best liked classes on average. A sentence adds to it if its
    words are better liked than that average, the more the longer it is. The average depends on the set, so
    ranks and set are found in turns. Mean liking by sentence would not do: most words of nearly all sentences
    are outside names, and long sentences drown the few that are not.
    """
    words, liked = counts.sum(axis=1), counts @ liking
    best = np.arange(len(counts))
    for _ in range(ROUNDS):
        added = liked * words[best].sum() - liked[best].sum() * words  # times the words of the set
        ranks = np.searchsorted(np.sort(-added), -added)
        best = np.flatnonzero(ranks < size)
    return ranks


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
