"""Recipes compared with a baseline on the same test items, seeds and chains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xstitch.core.errors import InputError
from xstitch.results.intervals import interval, resampled_macro_f1, resampled_weights
from xstitch.results.multiplicity import holm, p_value, shown_difference
from xstitch.results.resampling import ONE_CHAIN, Run, pooled


def compare_recipes(
    predictions: Mapping[str, pa.Table],
    baseline: str,
    rows: Mapping[str, str],
    labels: Sequence[str],
    seed: int,
) -> list[dict[str, Any]]:
    """Return the score of every recipe in every target language and its difference from the baseline.

    `rows` has the row label of each recipe. Recipes without predictions in a language are left out there.
    What a difference shows is judged after Holm's correction for all that are tested, the baseline excepted.
    """
    compared = [
        one
        for target in pc.unique(predictions[baseline].column("tgt")).to_pylist()
        for one in _compared(predictions, baseline, rows, labels, seed, target)
    ]
    shown = _tested([difference for _, difference in compared])
    return [{**record, **verdict} for (record, _), verdict in zip(compared, shown, strict=True)]


def _compared(
    predictions: Mapping[str, pa.Table],
    baseline: str,
    rows: Mapping[str, str],
    labels: Sequence[str],
    seed: int,
    target: str,
) -> Iterator[tuple[dict[str, Any], np.ndarray | None]]:
    """Yield the record of every recipe in one language, and the resampled difference that is tested."""
    items = _items(predictions[baseline], target)
    gold, weights = list(items.values()), resampled_weights(len(items), seed)
    runs = {recipe: _runs(table, target, items, recipe) for recipe, table in predictions.items()}
    scores = {
        recipe: pooled(
            {run: resampled_macro_f1(gold, [answers], labels, weights) for run, answers in many.items()}, seed
        )
        for recipe, many in runs.items()
        if many
    }
    for recipe, score in scores.items():
        difference = score - scores[baseline]
        record = {
            "method": rows[recipe],
            "target": target,
            "chains": len({chain for chain, _ in runs[recipe]}),
            "seeds": len({run for _, run in runs[recipe]}),
            "items": len(items),
            **_fields("macro_f1", score),
            **_fields("difference", difference),
        }
        yield record, None if recipe == baseline else difference


def _tested(differences: Sequence[np.ndarray | None]) -> Iterator[dict[str, str]]:
    """Yield the adjusted p-value of every difference and what it shows; nothing for the baseline's (None)."""
    tested = [difference for difference in differences if difference is not None]
    adjusted = iter(holm([p_value(difference) for difference in tested]))
    for difference in differences:
        if difference is None:
            yield {"p_holm": "", "shown": ""}
        else:
            p = next(adjusted)
            yield {"p_holm": f"{p:.4f}", "shown": shown_difference(difference[0], p)}


def _fields(name: str, scores: np.ndarray) -> dict[str, str]:
    bounds = interval(scores)
    values = {name: bounds.value, f"{name}_low": bounds.low, f"{name}_high": bounds.high}
    return {key: f"{value:.4f}" for key, value in values.items()}


def _items(table: pa.Table, target: str) -> dict[str, str]:
    """Return the labels of a language's test items by id."""
    rows = table.filter(pc.equal(table.column("tgt"), target))
    return dict(zip(rows.column("id").to_pylist(), rows.column("label").to_pylist(), strict=True))


def _runs(table: pa.Table, target: str, items: Mapping[str, str], recipe: str) -> dict[Run, list[str]]:
    """Return the predictions of every run, in the order of the items."""
    rows = table.filter(pc.equal(table.column("tgt"), target))
    runs = {}
    for seed in sorted(pc.unique(rows.column("seed")).to_pylist()):
        run = rows.filter(pc.equal(rows.column("seed"), seed))
        predicted = dict(zip(run.column("id").to_pylist(), run.column("predicted").to_pylist(), strict=True))
        if predicted.keys() != items.keys():
            raise InputError(f"{recipe}, {target}, seed {seed}: not the same test items as the baseline")
        runs[ONE_CHAIN, seed] = [predicted[item] for item in items]
    return runs
