"""Parallel anchors without a dictionary, by Gromov-Wasserstein transport (Alvarez-Melis and Jaakkola 2018).

A plan between the frequent words of both spaces is found under which the cosines within one space are most
like those within the other (POT's entropic solver; entropy is lowered step by step, because a sharp plan only
leaves its start if the start is good). Words that choose each other in the plan are the pairs of an
orthogonal map, which translates the anchors.

Known pairs, if any, add a linear cost: how different two words' cosines to them are (fused transport).
"""

from __future__ import annotations

import logging
import warnings

import numpy as np
import ot
import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.spaces.anchors.alternate import common_axes
from xstitch.spaces.anchors.centroids import found_by_map
from xstitch.spaces.anchors.problem import FoundAnchors, SeededSpaces
from xstitch.spaces.settings.search import GromovSettings
from xstitch.spaces.vecmap import normalise, orthogonal_map

LOG = logging.getLogger("xstitch")
CONVERGED = 1e-7  # change of a plan at which it is done
BALANCING = 100  # most iterations that balance a plan; they start from those of the plan before
HISTORY = pa.schema([("eps", pa.float64()), ("distance", pa.float64()), ("mutual", pa.int32())])


def gromov_anchors(spaces: SeededSpaces, settings: GromovSettings) -> FoundAnchors:
    """Find a plan between frequent words, and translate the anchors by the map that its pairs give."""
    if settings.last_eps > settings.first_eps:
        raise InputError("gromov: last_eps is above first_eps: entropy is lowered, swap them")
    x, z = common_axes(normalise(spaces.source), normalise(spaces.target))
    seeds = np.stack([spaces.anchors[: len(spaces.seeds)], spaces.seeds], axis=1)
    plan, history = transport_plan(x, z, seeds, settings)
    pairs = np.concatenate([seeds, chosen_pairs(plan)])
    if not len(pairs):
        raise InputError("gromov: no two words choose each other in the plan: lower last_eps")
    return found_by_map(spaces, x, z, orthogonal_map(x, z, pairs), settings.csls_k, history)


def transport_plan(
    x: np.ndarray, z: np.ndarray, seeds: np.ndarray, settings: GromovSettings
) -> tuple[np.ndarray, pa.Table]:
    """Find the plan between the frequent words, with less and less entropy; the history has every step."""
    left, right = (side[: settings.words].astype(np.float64) for side in (x, z))
    within = left @ left.T, right @ right.T
    known = known_cost(left, right, x[seeds[:, 0]], z[seeds[:, 1]])
    share = 1 - settings.trust if len(seeds) else 1.0  # of what is not known
    plan, history = None, []
    levels = np.geomspace(settings.first_eps, settings.last_eps, settings.steps)
    scale = sum(float(cosines.var()) for cosines in within)  # what the cost is about without any plan
    for eps in progress(levels, "transport plans", unit="plan"):
        with warnings.catch_warnings():
            # Few iterations on the way are enough: the next plan starts from this one.
            warnings.simplefilter("ignore")
            plan, log = ot.gromov.entropic_fused_gromov_wasserstein(
                *(known, *within),
                epsilon=scale * eps,
                symmetric=True,
                alpha=share,
                G0=plan,
                max_iter=settings.iterations,
                tol=CONVERGED,
                warmstart=True,
                numItermax=BALANCING,
                log=True,
            )
        if not np.isfinite(plan).all():
            raise InputError(f"gromov: eps {eps:.2g} is too small for these spaces: raise last_eps")
        history.append(
            dict(zip(HISTORY.names, (eps, float(log["fgw_dist"]), len(chosen_pairs(plan))), strict=True))
        )
        LOG.info("eps %(eps).2g: distance %(distance).6f, %(mutual)d words choose each other", history[-1])
    return plan, pa.Table.from_pylist(history, schema=HISTORY)


def known_cost(left: np.ndarray, right: np.ndarray, known: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Compute the mean squared difference of two words' cosines to the known pairs; 0 without any."""
    if not len(known):
        return np.zeros((len(left), len(right)))
    return ot.dist(left @ known.T, right @ theirs.T) / len(known)


def chosen_pairs(plan: np.ndarray) -> np.ndarray:
    """Pair the words that have the most mass for each other; a row without a best one has no pair."""
    forth, back = plan.argmax(axis=1), plan.argmax(axis=0)
    rows = np.arange(len(plan))
    certain = plan[rows, forth] > plan.mean(axis=1)
    mutual = (back[forth] == rows) & certain
    return np.stack([rows, forth], axis=1)[mutual]
