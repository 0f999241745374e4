"""Recipes compared with a baseline on the same test items, seeds and chains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xstitch.core.errors import InputError
from xstitch.results.columns import MEAN
from xstitch.results.freedom import freedom_of
from xstitch.results.intervals import interval, resampled_weights
from xstitch.results.multiplicity import holm, p_value, shown_difference
from xstitch.results.ranges import UNIT, Range
from xstitch.results.resampled_scores import resampled_metrics, stream
from xstitch.results.resampling import Run, pooled
from xstitch.results.scores import ONE_CHAIN

Predictions = Mapping[str, pa.Table]  # by chain
Labels = Sequence[str] | None  # of texts; none where words have tags


class _Scored(NamedTuple):
    """A recipe's resampled scores in a language, or their mean over languages, and what they are from."""

    scores: np.ndarray
    chains: int
    seeds: int
    items: int


class _Difference(NamedTuple):
    """A resampled difference from the baseline, its chains, and the numbers of seeds on its sides."""

    resampled: np.ndarray
    chains: int
    seeds: Iterable[int]


def compare_recipes(
    predictions: Mapping[str, Predictions],
    baseline: str,
    rows: Mapping[str, str],
    labels: Labels,
    seed: int,
    source: str = "",
) -> list[dict[str, Any]]:
    """Return the score of every recipe in every target language and its difference from the baseline.

    Scores are macro-F1 over the labels of texts; without labels, F1 of the spans of tagged sentences. `rows`
    has the row label of each recipe. The source language is not compared: models that are adapted to a target
    have it once for every target. Recipes without predictions in a language are left out there. The target
    after several languages is their mean, for recipes that are in all of them. What a difference shows is
    judged after Holm's correction for all that are tested, the baseline excepted.
    """
    found = pc.unique(next(iter(predictions[baseline].values())).column("tgt")).to_pylist()
    targets = [target for target in found if target != source]
    scored = {target: _scored(predictions, baseline, labels, seed, target) for target in targets}
    if len(targets) > 1:
        scored[MEAN] = _means([*scored.values()])
    compared = [
        one
        for target, found in scored.items()
        for one in _compared(found, baseline, rows, target, _metric(labels))
    ]
    shown = _tested([difference for _, difference in compared])
    return [{**record, **verdict} for (record, _), verdict in zip(compared, shown, strict=True)]


def _scored(
    predictions: Mapping[str, Predictions],
    baseline: str,
    labels: Labels,
    seed: int,
    target: str,
) -> dict[str, _Scored]:
    """Return the resampled scores of every recipe that has predictions in a language."""
    items = {chain: _items(table, target) for chain, table in predictions[baseline].items()}
    runs = {
        recipe: {
            run: score
            for chain, table in tables.items()
            for run, score in _runs(chain, table, target, items[chain], recipe, labels, seed).items()
        }
        for recipe, tables in predictions.items()
    }
    return {
        recipe: _Scored(
            pooled(many, seed),
            len({chain for chain, _ in many}),
            len({run for _, run in many}),
            sum(map(len, items.values())),
        )
        for recipe, many in runs.items()
        if many
    }


def _means(languages: Sequence[Mapping[str, _Scored]]) -> dict[str, _Scored]:
    """Return the mean over languages of every recipe that is in all of them."""
    everywhere = [recipe for recipe in languages[0] if all(recipe in found for found in languages)]
    return {recipe: _mean([found[recipe] for found in languages]) for recipe in everywhere}


def _mean(parts: Sequence[_Scored]) -> _Scored:
    """Average resample by resample, so that languages with equally many items share the drawn ones."""
    return _Scored(
        np.mean([part.scores for part in parts], axis=0),
        min(part.chains for part in parts),
        min(part.seeds for part in parts),
        sum(part.items for part in parts),
    )


def _compared(
    found: Mapping[str, _Scored], baseline: str, rows: Mapping[str, str], target: str, metric: str
) -> Iterator[tuple[dict[str, Any], _Difference | None]]:
    """Yield the record of every recipe in one target, and the difference that is tested."""
    for recipe, one in found.items():
        difference, seeds = one.scores - found[baseline].scores, {one.seeds, found[baseline].seeds}
        record = {
            "method": rows[recipe],
            "target": target,
            "chains": one.chains,
            "seeds": one.seeds,
            "items": one.items,
            **_fields(metric, one.scores, UNIT, one.chains, [one.seeds]),
            **_fields("difference", difference, UNIT.of_differences(), one.chains, seeds),
        }
        yield record, None if recipe == baseline else _Difference(difference, one.chains, seeds)


def _metric(labels: Labels) -> str:
    return "f1" if labels is None else "macro_f1"


def _tested(differences: Sequence[_Difference | None]) -> Iterator[dict[str, str]]:
    """Yield the adjusted p-value of every difference and what it shows; nothing for the baseline's (None)."""
    adjusted = iter(holm([p_value(*difference) for difference in differences if difference]))
    for difference in differences:
        if difference is None:
            yield {"p_holm": "", "shown": ""}
        else:
            p = next(adjusted)
            yield {"p_holm": f"{p:.4f}", "shown": shown_difference(difference.resampled[0], p)}


def _fields(
    name: str, scores: np.ndarray, within: Range, chains: int, seeds: Iterable[int]
) -> dict[str, str]:
    bounds = interval(scores, within, freedom_of(scores, chains, seeds))
    values = {name: bounds.value, f"{name}_low": bounds.low, f"{name}_high": bounds.high}
    return {key: f"{value:.4f}" for key, value in values.items()}


def _items(table: pa.Table, target: str) -> dict[str, str]:
    """Return the labels of a language's test items by id."""
    rows = table.filter(pc.equal(table.column("tgt"), target))
    return dict(zip(rows.column("id").to_pylist(), rows.column("label").to_pylist(), strict=True))


def _runs(
    chain: str,
    table: pa.Table,
    target: str,
    items: Mapping[str, str],
    recipe: str,
    labels: Labels,
    seed: int,
) -> dict[Run, np.ndarray]:
    """Return the resampled scores of every run of a chain, all on the same resamples of its items."""
    rows = table.filter(pc.equal(table.column("tgt"), target))
    gold = list(items.values())
    weights = resampled_weights(len(items), seed if chain == ONE_CHAIN else stream(seed, chain))
    runs: dict[Run, np.ndarray] = {}
    for run_seed in sorted(pc.unique(rows.column("seed")).to_pylist()):
        run = rows.filter(pc.equal(rows.column("seed"), run_seed))
        predicted = dict(zip(run.column("id").to_pylist(), run.column("predicted").to_pylist(), strict=True))
        if predicted.keys() != items.keys():
            raise InputError(f"{recipe}, {target}, seed {run_seed}: not the same test items as the baseline")
        answers = [predicted[item] for item in items]
        runs[chain, run_seed] = resampled_metrics(gold, answers, labels, weights)[_metric(labels)]
    return runs
