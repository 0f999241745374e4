"""Curves: macro-F1 against what a method was given, with intervals, and where one method overtakes another.

Intervals are over chains, draws and test items (`xstitch.results.resampling`). Chains of a generated world
have test items of their own; chains of real data share theirs, which are then resampled once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xstitch.core.errors import InputError
from xstitch.results.freedom import freedom_of
from xstitch.results.intervals import Interval, interval, resampled_macro_f1, resampled_weights
from xstitch.results.ranges import UNIT
from xstitch.results.resampled_scores import stream
from xstitch.results.resampling import Run, pooled

Predictions = Mapping[str, pa.Table]  # by chain
# The columns of a file of crossings: a method overtakes another (`over`) at x; both have amounts `from` to
# `to`; `ahead` is the share of resamples in which it is ahead at the largest. x is `inf` if it is not.
CROSSINGS = ("curve", "language", "scale", "method", "over", "x", "low", "high", "from", "to", "ahead")


class Point(NamedTuple):
    """The scores of a method with one amount in one language: on all items, then on resamples."""

    method: str
    target: str
    x: int | None  # None: the method has no such amount, its line is level
    scores: np.ndarray
    items: int
    chains: int
    draws: int

    @property
    def interval(self) -> Interval:
        """The score with its interval, within what macro-F1 can be."""
        return interval(self.scores, UNIT, freedom_of(self.scores, self.chains, [self.draws]))


def curve_points(
    rows: Sequence[Mapping[str, Any]],
    predictions: Mapping[str, Predictions],
    amounts: Mapping[tuple[str, str], int],
    labels: Sequence[str],
    seed: int,
) -> list[Point]:
    """Score every row of a curve in every language; `amounts` are by recipe and language.

    Of several rows of a method with the same amount, as where a language has fewer than was asked for, the
    last is kept: the one that was given all there is.
    """
    found: dict[tuple[str, str, int | None], Point] = {}
    for row in rows:
        for target in _targets(predictions[row["recipe"]]):
            x = None if row.get("level") else amounts[row["recipe"], target]
            runs, items = _runs(predictions[row["recipe"]], target, labels, seed)
            sizes = len({chain for chain, _ in runs}), len({draw for _, draw in runs})
            point = Point(row["row"], target, x, pooled(runs, seed), items, *sizes)
            found[point.target, point.method, x] = point
    languages = list(dict.fromkeys(point.target for point in found.values()))
    return [point for language in languages for point in found.values() if point.target == language]


def _targets(predictions: Predictions) -> list[str]:
    return pc.unique(next(iter(predictions.values())).column("tgt")).to_pylist()


def _runs(
    predictions: Predictions, target: str, labels: Sequence[str], seed: int
) -> tuple[dict[Run, np.ndarray], int]:
    """Return the resampled scores of every chain and draw, and the number of items of a chain."""
    runs: dict[Run, np.ndarray] = {}
    for chain, table in predictions.items():
        rows = table.filter(pc.equal(table.column("tgt"), target))
        for draw in sorted(pc.unique(rows.column("seed")).to_pylist()):
            one = rows.filter(pc.equal(rows.column("seed"), draw)).sort_by("id")
            ids, gold, answers = (one.column(name).to_pylist() for name in ("id", "label", "predicted"))
            weights = resampled_weights(len(ids), stream(seed, target, *ids, *gold))
            runs[chain, draw] = resampled_macro_f1(gold, [answers], labels, weights)
    return runs, len(ids)


def counted(
    amounts: Sequence[Mapping[str, Any]], counts: Sequence[int], chains: int
) -> dict[tuple[str, str], int]:
    """Return every amount by recipe and language, the mean over chains; `counts` are chain by chain."""
    files = [part for part in amounts if part["file"]]
    by_chain = np.reshape(counts, (chains, len(files))) if files else np.empty((chains, 0))
    found = {(part["recipe"], part["target"]): part["most"] for part in amounts if not part["file"]}
    for part, rows in zip(files, by_chain.T, strict=True):
        most = np.inf if part["most"] is None else part["most"]
        found[part["recipe"], part["target"]] = round(float(np.minimum(rows, most).mean()))
    return found


def point_records(points: Sequence[Point], curve: str, scale: str) -> Iterator[dict[str, str]]:
    """Yield the numbers of a curve, in the order of its points."""
    for point in points:
        bounds = point.interval
        yield {
            "curve": curve,
            "language": point.target,
            "scale": scale,
            "x": "" if point.x is None else str(point.x),
            "method": point.method,
            "macro_f1": f"{bounds.value:.4f}",
            "low": f"{bounds.low:.4f}",
            "high": f"{bounds.high:.4f}",
            "n": str(point.items),
            "chains": str(point.chains),
            "draws": str(point.draws),
        }


def crossing(xs: Sequence[float], differences: Sequence[float]) -> float:
    """Return the amount from which on a difference stays above 0: infinite, if it ends below.

    Between two amounts the difference is taken to change linearly with the logarithm of the amount. If it is
    never below 0, that is the first amount.
    """
    if differences[-1] < 0:
        return np.inf
    below = [place for place, difference in enumerate(differences) if difference < 0]
    if not below:
        return float(xs[0])
    before, after = below[-1], below[-1] + 1
    share = differences[before] / (differences[before] - differences[after])
    return float(np.exp(np.log(xs[before]) + share * (np.log(xs[after]) - np.log(xs[before]))))


def crossing_records(
    points: Sequence[Point], pairs: Sequence[Mapping[str, str]], curve: str, scale: str
) -> Iterator[dict[str, str]]:
    """Yield, for every language, the amount at which a method (`row`) overtakes another (`over`)."""
    for target in dict.fromkeys(point.target for point in points):
        here = [point for point in points if point.target == target]
        for pair in pairs:
            xs, differences = _differences(here, pair["row"], pair["over"])
            if not xs:
                raise InputError(f"{curve}: {pair['row']} and {pair['over']} have no amount in common")
            crossed = np.array([crossing(xs, one) for one in differences.T])
            low, high = np.percentile(crossed[1:], [2.5, 97.5], method="inverted_cdf")
            numbers = [f"{value:.0f}" for value in (crossed[0], low, high)]
            ahead = f"{(differences[-1, 1:] >= 0).mean():.3f}"
            fields = [
                curve,
                target,
                scale,
                pair["row"],
                pair["over"],
                *numbers,
                str(xs[0]),
                str(xs[-1]),
                ahead,
            ]
            yield dict(zip(CROSSINGS, fields, strict=True))


def _differences(points: Sequence[Point], row: str, over: str) -> tuple[list[int], np.ndarray]:
    """Return the amounts above 0 that two methods share and their differences (amounts x resamples)."""
    first, second = (
        {point.x: point.scores for point in points if point.method == name} for name in (row, over)
    )
    if None in second:
        second = dict.fromkeys(first, second[None])
    xs = sorted(x for x in first.keys() & second.keys() if x)
    return xs, np.stack([first[x] - second[x] for x in xs]) if xs else np.empty((0, 0))
