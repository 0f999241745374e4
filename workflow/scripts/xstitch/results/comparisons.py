"""Recipes compared with a baseline on the same test items and seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xstitch.core.errors import InputError
from xstitch.results.intervals import interval, resampled_macro_f1, resampled_weights


def compare_recipes(
    predictions: Mapping[str, pa.Table],
    baseline: str,
    rows: Mapping[str, str],
    labels: Sequence[str],
    seed: int,
) -> Iterator[dict[str, Any]]:
    """Yield the score of every recipe in every target language and its difference from the baseline.

    `rows` has the row label of each recipe. Recipes without predictions in a language are left out there.
    """
    for target in pc.unique(predictions[baseline].column("tgt")).to_pylist():
        items = _items(predictions[baseline], target)
        weights = resampled_weights(len(items), seed)
        resampled = {}
        for recipe, table in predictions.items():
            if runs := _runs(table, target, items, recipe):
                resampled[recipe] = (
                    resampled_macro_f1(list(items.values()), runs, labels, weights),
                    len(runs),
                )
        for recipe, (scores, seeds) in resampled.items():
            yield {
                "method": rows[recipe],
                "target": target,
                "seeds": seeds,
                "items": len(items),
                **_fields("macro_f1", scores),
                **_fields("difference", scores - resampled[baseline][0]),
            }


def _fields(name: str, scores: np.ndarray) -> dict[str, str]:
    bounds = interval(scores)
    values = {name: bounds.value, f"{name}_low": bounds.low, f"{name}_high": bounds.high}
    return {key: f"{value:.4f}" for key, value in values.items()}


def _items(table: pa.Table, target: str) -> dict[str, str]:
    """Return the labels of a language's test items by id."""
    rows = table.filter(pc.equal(table.column("tgt"), target))
    return dict(zip(rows.column("id").to_pylist(), rows.column("label").to_pylist(), strict=True))


def _runs(table: pa.Table, target: str, items: Mapping[str, str], recipe: str) -> list[list[str]]:
    """Return one list of predictions per seed, in the order of the items."""
    rows = table.filter(pc.equal(table.column("tgt"), target))
    runs = []
    for seed in sorted(pc.unique(rows.column("seed")).to_pylist()):
        run = rows.filter(pc.equal(rows.column("seed"), seed))
        predicted = dict(zip(run.column("id").to_pylist(), run.column("predicted").to_pylist(), strict=True))
        if predicted.keys() != items.keys():
            raise InputError(f"{recipe}, {target}, seed {seed}: not the same test items as the baseline")
        runs.append([predicted[item] for item in items])
    return runs
