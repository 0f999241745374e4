"""Scores with their resamples of test items, as far as is known how items were scored.

Where there are predictions, items are drawn again and scored, the same for all recipes, seeds and languages
of a chain: test sets that are translations of each other have hard items in common, and where languages have
items of their own, drawing the same numbers of them ties nothing together. Elsewhere the score and its number
of items bound how much it varies: a mean of numbers from 0 to 1 has a variance of at most p (1 - p) / n
(Bhatia and Davis, 2000; exactly that if all are 0 or 1), and a rank correlation varies as Fisher's
transformation says, with Bonett and Wright's (2000) correction. These are drawn separately for each recipe,
since it is unknown which items it shares with others: intervals of differences are too wide rather than too
narrow. Of other metrics only the seeds (and chains) are known.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xstitch.results.intervals import RESAMPLES, resampled_accuracy, resampled_macro_f1, resampled_weights
from xstitch.results.resampling import unresampled
from xstitch.results.scores import ONE_CHAIN, Score
from xstitch.results.tag_metrics import resampled_tagging_scores

MEANS = {"accuracy", "exact_match", "mrr", "jaccard", "nn_p1", "csls_p1"}  # over items, from 0 to 1
RANK_CORRELATIONS = {"spearman"}


@dataclass(frozen=True)
class Predicted:
    """The predictions of a recipe on a task, and all of the task's labels; none if words have tags.

    Chains have test items of their own, which are resampled independently of one another.
    """

    recipe: str
    task: str
    table: pa.Table  # as `xstitch.results.scores.predictions_table` makes it
    labels: Sequence[str] | None
    chain: str = ONE_CHAIN


def with_resamples(scores: Iterable[Score], predicted: Iterable[Predicted], seed: int) -> Iterator[Score]:
    """Yield scores whose value is an array: the score, then its resamples."""
    deviations = {key: value for part in predicted for key, value in _deviations(part, seed).items()}
    for score in scores:
        key = score.recipe, score.task, score.chain, score.tgt, score.seed, score.metric
        # Some predictions stand for several scores (the source language, adapted to every target), which
        # are shifted alike.
        deviation = deviations[key] if key in deviations else _approximate(score, seed)
        yield score._replace(value=score.value + deviation)


def stream(seed: int, *names: str) -> int:
    """Return the seed of draws that belong to these names."""
    return zlib.crc32(" ".join([str(seed), *names]).encode())


def _deviations(part: Predicted, seed: int) -> Mapping[tuple, np.ndarray]:
    """Return by how much each resample of items shifts a recipe's scores, by target, seed and metric."""
    found, draws = {}, stream(seed, part.task, *_other(part.chain))
    for target in pc.unique(part.table.column("tgt")).to_pylist():
        rows = part.table.filter(pc.equal(part.table.column("tgt"), target))
        weights = _weights(_items(rows), draws)
        for run in pc.unique(rows.column("seed")).to_pylist():
            # In the order of their ids, items are the same for all recipes.
            items = rows.filter(pc.equal(rows.column("seed"), run)).sort_by("id")
            gold, answers = (items.column(name).to_pylist() for name in ("label", "predicted"))
            for metric, resampled in resampled_metrics(gold, answers, part.labels, weights).items():
                key = part.recipe, part.task, part.chain, target, run, metric
                found[key] = resampled - resampled[0]
    return found


def resampled_metrics(
    gold: Sequence[str], answers: Sequence[str], labels: Sequence[str] | None, weights: np.ndarray
) -> Mapping[str, np.ndarray]:
    """Score all resamples by the metrics of texts with labels, or, if there are none, of tagged sentences."""
    if labels is None:
        tags = ([item.split() for item in side] for side in (gold, answers))
        return resampled_tagging_scores(*tags, weights)._asdict()
    return {
        "macro_f1": resampled_macro_f1(gold, [answers], labels, weights),
        "accuracy": resampled_accuracy(gold, answers, weights),
    }


@lru_cache(maxsize=4)  # recipes and languages share them; those of a large task take 80 MB
def _weights(items: int, seed: int) -> np.ndarray:
    return resampled_weights(items, seed)


def _other(chain: str) -> tuple[str, ...]:
    """Return what names the draws of a chain other than the first."""
    return () if chain == ONE_CHAIN else (chain,)


def _items(rows: pa.Table) -> int:
    return len(pc.unique(rows.column("id")))


def _approximate(score: Score, seed: int) -> np.ndarray:
    """Return by how much resamples shift a score, from its value and number of items; the same for all seeds.

    The first entry is 0: all items.
    """
    names = (score.recipe, score.task, score.src, score.tgt, score.metric, *_other(score.chain))
    if score.metric in MEANS and 0 <= score.value <= 1 and score.n > 1:
        spread = np.sqrt(score.value * (1 - score.value) / score.n)
        return spread * _standard(stream(seed, *names))
    if score.metric in RANK_CORRELATIONS and abs(score.value) < 1 and score.n > 3:
        spread = np.sqrt((1 + score.value**2 / 2) / (score.n - 3))
        return np.tanh(np.arctanh(score.value) + spread * _standard(stream(seed, *names))) - score.value
    return unresampled(0.0)


def _standard(seed: int) -> np.ndarray:
    """Draw standard normal numbers after a 0."""
    return np.concatenate([[0.0], np.random.default_rng(seed).standard_normal(RESAMPLES)])
