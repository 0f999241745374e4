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
    """Score every recipe in every target language, with its difference from the baseline, as records.

    `rows` names the recipes' rows; recipes without the baseline's language are left out of it.
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
    found = interval(scores)
    values = {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
    return {key: f"{value:.4f}" for key, value in values.items()}


def _items(table: pa.Table, target: str) -> dict[str, str]:
    """Return the labels of a language's test items by their ids."""
    own = table.filter(pc.equal(table.column("tgt"), target))
    return dict(zip(own.column("id").to_pylist(), own.column("label").to_pylist(), strict=True))


def _runs(table: pa.Table, target: str, items: Mapping[str, str], recipe: str) -> list[list[str]]:
    """Return one list of predictions a seed, in the order of the items."""
    own = table.filter(pc.equal(table.column("tgt"), target))
    runs = []
    for seed in sorted(pc.unique(own.column("seed")).to_pylist()):
        run = own.filter(pc.equal(own.column("seed"), seed))
        predicted = dict(zip(run.column("id").to_pylist(), run.column("predicted").to_pylist(), strict=True))
        if predicted.keys() != items.keys():
            raise InputError(f"{recipe}, {target}, seed {seed}: not the test items of the baseline")
        runs.append([predicted[item] for item in items])
    return runs
