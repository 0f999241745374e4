"""The numbers that figures show, as cells with resamples: gains by size of shift, correlations, last steps.

Figures of improvements have one point per target set and seed: sets are drawn again, the same for all
methods, and seeds. Figures of shifts have many points per language, which share models and texts: languages
are drawn again, then their points, so that five languages count as five and not as 500 points.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from xstitch.results.claims.trees import correlation_column
from xstitch.results.intervals import RESAMPLES
from xstitch.results.ranges import CORRELATION, UNIT
from xstitch.results.resampled_scores import stream
from xstitch.results.resampled_tables import Cells, Known
from xstitch.results.resampling import covered_levels, pooled, unresampled
from xstitch.results.shift_data import LARGE_SHIFT, final_layer

Column = tuple[str, Known]
CHAIN = "1"  # figures show the first
UNDEFINED = ("correction", "improvement")  # columns that may be empty: of a shift or a score of 0
SMALL, LARGE, FEATURE, LAST = "small shifts", "large shifts", "feature shift", "last step"


def figure_cells(kind: str, data: str | Path, seed: int) -> Cells:
    """Return the numbers of a figure by method and column; a column begins with its panel's title."""
    columns_of = {"improvements": _improvements, "steps": _last_steps}.get(kind, _shifts)
    table = pd.read_csv(data, sep="\t", keep_default_na=False, na_values=dict.fromkeys(UNDEFINED, ""))
    cells = {}
    for (panel, method), points in table.groupby(["panel", "method"], sort=False):
        title = panel.partition(",")[0]  # a run's panel of a single pair goes on with its languages
        for column, known in columns_of(points, stream(seed, title)):
            cells[method, f"{title} {column}"] = known
    return cells


def _improvements(points: pd.DataFrame, seed: int) -> Iterator[Column]:
    """Yield the mean improvement at small and at large prior shifts."""
    # On a set that zero-shot transfer has no score on, no seed has an improvement.
    points = points[~points["set"].isin(points.loc[points["improvement"].isna(), "set"])]
    large = points["prior_shift"] >= LARGE_SHIFT
    for name, part in ((SMALL, points[~large]), (LARGE, points[large])):
        if len(part):
            yield name, _over_sets(part.sort_values(["seed", "set"]), stream(seed, name))


def _over_sets(points: pd.DataFrame, seed: int) -> Known:
    """Average improvements over target sets and seeds; every seed has the same sets."""
    runs, sets = {}, points["set"].nunique()
    weights = _weights_of_few(sets, seed)
    for run, rows in points.groupby("seed"):
        runs[CHAIN, int(run)] = weights @ rows["improvement"].to_numpy() / weights.sum(axis=1)
    covers, seeds = frozenset(covered_levels(runs)), frozenset([len(runs)])
    return Known(pooled(runs, seed), covers, seeds, 1, freedom=_freedom_of_few(sets))


def _last_steps(points: pd.DataFrame, seed: int) -> Iterator[Column]:
    """Yield the score after the last step, over seeds."""
    last = points[points["step"] == points["step"].max()]
    scores = dict(zip(last["seed"], last["macro_f1"], strict=True))
    runs = {(CHAIN, int(run)): unresampled(score) for run, score in scores.items()}
    yield LAST, Known(pooled(runs, seed), frozenset(covered_levels(runs)), frozenset([len(runs)]), 1, UNIT)


def _shifts(points: pd.DataFrame, seed: int) -> Iterator[Column]:
    """Yield the mean feature shift, and the correlations of scores with both shifts."""
    points = final_layer(points)
    weights = _language_weights(points["target"].to_numpy(), seed)
    languages = points["target"].nunique()
    covers = frozenset(["languages"]) if languages > 1 else frozenset()
    freedom = _freedom_of_few(languages)
    score, feature, prior = (
        points[name].to_numpy(dtype=float) for name in ("macro_f1", "feature_shift", "prior_shift")
    )
    yield FEATURE, Known(weights @ feature / weights.sum(axis=1), covers, freedom=freedom)
    alone = {
        name: _correlations(shift, score, weights) for name, shift in (("feature", feature), ("prior", prior))
    }
    between = _correlations(feature, prior, weights)
    for name, other in (("feature", "prior"), ("prior", "feature")):
        partial = _with_fixed(alone[name], alone[other], between)
        for r, fixed in ((alone[name], False), (partial, True)):
            if np.isfinite(r[0]):  # where a resample leaves nothing that varies, nothing correlates
                yield (
                    correlation_column(name, fixed).strip(),
                    Known(np.nan_to_num(r), covers, within=CORRELATION, freedom=freedom),
                )


def _language_weights(targets: np.ndarray, seed: int) -> np.ndarray:
    """Draw how often each point is in each resample; the first row has every point once."""
    generator = np.random.default_rng(seed)
    languages = sorted(set(targets))
    drawn = _weights_of_few(len(languages), generator)[1:].astype(int)
    weights = np.ones((RESAMPLES + 1, len(targets)))
    for number, language in enumerate(languages):
        points = np.flatnonzero(targets == language)
        shares = np.full(len(points), 1 / len(points))
        weights[1:, points] = generator.multinomial(drawn[:, number] * len(points), shares)
    return weights


def _weights_of_few(number: int, seed: int | np.random.Generator) -> np.ndarray:
    """Draw how often each of a few is in each resample; the first row has every one once.

    Of n, n - 1 are drawn: means of n draws would vary too little.
    """
    shares = np.full(number, 1 / number)
    drawn = np.random.default_rng(seed).multinomial(max(1, number - 1), shares, size=RESAMPLES)
    return np.concatenate([np.ones((1, number)), drawn])


def _freedom_of_few(number: int) -> float:
    return number - 1 if number > 1 else math.inf


def _correlations(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return Pearson's r with the weights of every resample; nan where a number does not vary."""
    total = weights.sum(axis=1)
    first, second = first - first.mean(), second - second.mean()
    mean_first, mean_second = weights @ first / total, weights @ second / total
    both = weights @ (first * second) / total - mean_first * mean_second
    squares = [
        weights @ (values * values) / total - mean * mean
        for values, mean in ((first, mean_first), (second, mean_second))
    ]
    scale = np.sqrt(np.maximum(squares[0] * squares[1], 0))
    return np.divide(both, scale, out=np.full(len(total), np.nan), where=scale > 1e-12)


def _with_fixed(r: np.ndarray, other: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Return the partial correlation from the three correlations of scores and both shifts."""
    scale = np.sqrt(np.maximum((1 - other**2) * (1 - between**2), 0))
    return np.divide(r - other * between, scale, out=np.full(len(r), np.nan), where=scale > 1e-12)
