"""Cosines of gradients over fine-tunings: means over chains, seeds and draws, with intervals over all three.

A run is a fine-tuning of one chain with one seed; at every point it has several draws of each gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from xstitch.results.intervals import RESAMPLES
from xstitch.results.ranges import CORRELATION
from xstitch.results.resampled_scores import stream
from xstitch.results.resampling import Run, chain_weights, hierarchical_interval

TASK, ALL = "task", "all"  # the loss that others are compared with, and all layers together


class Point(NamedTuple):
    """A loss in a language, compared with the task after some updates, in one layer or in all."""

    loss: str
    target: str
    layer: str
    update: float
    cosine: float
    low: float | None  # None: nothing was repeated
    high: float | None
    norm: float
    task_norm: float
    chains: int
    seeds: int
    draws: int


def gradient_points(runs: Mapping[Run, pd.DataFrame], seed: int) -> list[Point]:
    """Average what was measured in all runs, in the order it was measured in."""
    tables = [table.assign(chain=chain, seed=number) for (chain, number), table in runs.items()]
    places = pd.concat(tables).groupby(["loss", "target", "layer", "point"], sort=False)
    return [_point(*place, rows, seed) for (*place, _), rows in places]


def _point(loss: str, target: str, layer: str, rows: pd.DataFrame, seed: int) -> Point:
    by_run = {run: part["cosine"].to_numpy() for run, part in rows.groupby(["chain", "seed"])}
    sizes = len({chain for chain, _ in by_run}), len({number for _, number in by_run}), rows["draw"].nunique()
    resampled = {run: _resampled(cosines, stream(seed, *map(str, run))) for run, cosines in by_run.items()}
    means = rows[["update", "norm", "task_norm"]].mean()
    cosine = float(np.mean([cosines[0] for cosines in resampled.values()]))
    # A loss that does not reach a layer has no cosine there.
    found = None if np.isnan(cosine) else hierarchical_interval(resampled, seed, CORRELATION)
    ends = (found.low, found.high) if found else (None, None)
    return Point(
        loss, target, layer, means["update"], cosine, *ends, means["norm"], means["task_norm"], *sizes
    )


def _resampled(cosines: np.ndarray, seed: int) -> np.ndarray:
    """Average a run's draws: all of them, then as weighted for every resample.

    Draws are as few as chains, and drawn anew they would vary too little: Student's weights are for both.
    """
    apart = cosines - cosines[0]  # exactly 0 where nothing varies
    weighted = apart @ chain_weights(len(cosines), seed, RESAMPLES)
    return cosines[0] + np.concatenate([[apart.mean()], weighted])


def point_records(points: Sequence[Point], place: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the numbers of a figure; `place` says what they are about."""
    for point in points:
        yield {
            **place,
            "language": point.target,
            "loss": point.loss,
            "layer": point.layer,
            "update": f"{point.update:g}",
            **{name: _decimals(getattr(point, name)) for name in ("cosine", "low", "high")},
            **{name: f"{getattr(point, name):.4g}" for name in ("norm", "task_norm")},
            **{name: str(getattr(point, name)) for name in ("chains", "seeds", "draws")},
        }


def _decimals(number: float | None) -> str:
    return "" if number is None or np.isnan(number) else f"{number:.4f}"
