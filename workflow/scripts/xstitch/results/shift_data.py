"""What measurements of shifts amount to, as scores: how much of a shift alignment and estimates take away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from xstitch.results.scores import Score

# The prior shift from which corrections are averaged separately. iwda 4.2 says 0.8, but that is the largest
# total variation that five even classes allow; the paper must mean the l1 distance, which is twice as large.
LARGE_SHIFT = 0.4
Case = Mapping[str, Any]  # a file of measurements, with the recipe, task, seed and chain that it is of


def final_layer(data: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the features that are classified: the last layer's, of first tokens or of words."""
    return data[(data["pooling"] == "cls") & (data["layer"] == data["layer"].max())]


def decreases(cases: Sequence[Case], baseline: str, **fields: str) -> Iterator[Score]:
    """Score recipes by the share of the baseline's feature shift that they take away, language by language.

    `fields` are the other fields of all scores.
    """
    shifts = {(case["recipe"], case["task"], case["chain"]): _feature_shifts(case["file"]) for case in cases}
    for case in cases:
        recipe, task, chain = case["recipe"], case["task"], case["chain"]
        if recipe == baseline:
            continue
        for target, shift in shifts[recipe, task, chain].items():
            value = 1 - shift / shifts[baseline, task, chain][target]
            named = {"recipe": recipe, "task": task, "tgt": target, "seed": case["seed"], "chain": chain}
            yield Score(metric="decrease", value=value, n=1, **named, **fields)


def _feature_shifts(file: str) -> dict[str, float]:
    rows = final_layer(pd.read_csv(file, sep="\t", keep_default_na=False))
    return dict(zip(rows["target"], rows["feature_shift"], strict=True))


def corrections(cases: Sequence[Case], **fields: str) -> Iterator[Score]:
    """Score recipes by the mean share of a prior shift that they correct: of all, large and small shifts."""
    for case in cases:
        rows = pd.read_csv(case["file"], sep="\t")
        large = rows["prior_shift"] >= LARGE_SHIFT
        named = {name: case[name] for name in ("recipe", "task", "seed", "chain")} | {"tgt": case["target"]}
        parts = {"correction": rows, "correction_large": rows[large], "correction_small": rows[~large]}
        for metric, part in parts.items():
            values = part["correction"].dropna()
            if len(values):
                yield Score(metric=metric, value=values.mean(), n=len(values), **named, **fields)
