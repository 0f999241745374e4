"""Parallel anchors from a few seeds by matching and solving in turn: our alternative to bootstrap's descent.

Algorithm 1 starts with all anchors but the seeds at random, and their noise drowns out the seeds. Here the
seeds start alone: words are matched by their cosines to them (a smooth Sinkhorn plan; mutual matches are
kept), and VecMap's self-learning grows the matches by orthogonal maps, with scores dropped at random so that
it does not settle at once; first among frequent words, then among all words. Of several such runs, the one
with the best objective is kept. Its dictionary gives the anchors in closed form: the vectors whose cosines to
the target words come nearest, by least squares, to the cosines between source words and source anchors.
"""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pyarrow as pa
import torch

from xstitch.spaces.anchors.problem import UNKNOWN, FoundAnchors, SeededSpaces, distinct_words
from xstitch.spaces.anchors.sinkhorn import assign_both, sinkhorn
from xstitch.spaces.csls import with_csls
from xstitch.spaces.learning_state import Learned
from xstitch.spaces.neighbours import mutual_nearest, to_device, unit
from xstitch.spaces.self_learning import learn_dictionary, start_unsupervised
from xstitch.spaces.settings.search import AlternationSettings
from xstitch.spaces.vecmap import history_table, normalise, orthogonal_map
from xstitch.vectors.table import unit_rows

LOG = logging.getLogger("xstitch")
PENALTIES = np.logspace(-3, 3, 13)  # for the least squares
MEASURED = 1000  # words whose matches are checked in each iteration, if the truth is known


def alternate_anchors(spaces: SeededSpaces, settings: AlternationSettings) -> FoundAnchors:
    """Match the words of both spaces, starting from the seeds, and solve for the anchors."""
    x, z = common_axes(normalise(spaces.source), normalise(spaces.target))
    pairs, history = match_words(x, z, spaces, settings)
    mapped = x @ orthogonal_map(x, z, pairs).astype(np.float32)
    rows = translate_anchors(mapped, z, spaces, settings.learning.csls_k)
    return FoundAnchors(solve_anchors(spaces, pairs), rows, history)


def match_words(
    x: np.ndarray, z: np.ndarray, spaces: SeededSpaces, settings: AlternationSettings
) -> tuple[np.ndarray, pa.Table]:
    """Grow the seed pairs: take the best of several runs among frequent words, then run once among all.

    Pairs are in both directions; the history has the iterations of every run.
    """
    start, truth = match_by_seeds(x, z, spaces, settings), _held_out(spaces, settings.seed)
    runs = {}
    for number in range(settings.restarts):
        learning = replace(settings.learning, seed=settings.seed + number)
        runs[f"run {number + 1}"] = learn_dictionary(x, z, start, learning, truth)
    best = max(runs, key=lambda name: round(runs[name].objective, 6))  # the first of equals
    LOG.info("%s of %d has the best objective: %.4f %%", best, len(runs), runs[best].objective)
    pairs = runs[best].rows
    if min(settings.vocabulary, max(len(x), len(z))) > settings.learning.vocabulary:
        last = replace(settings.learning, vocabulary=settings.vocabulary, keep=1.0)
        runs["all words"] = learn_dictionary(x, z, pairs, last, truth)
        pairs = runs["all words"].rows
    return pairs, _history(runs)


def common_axes(x: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reduce both sides to the smaller number of dimensions: the larger side keeps its principal axes."""
    width = min(x.shape[1], z.shape[1])
    return tuple(side if side.shape[1] == width else _principal(side, width) for side in (x, z))


def match_by_seeds(
    x: np.ndarray, z: np.ndarray, spaces: SeededSpaces, settings: AlternationSettings
) -> np.ndarray:
    """Pair the seeds, and frequent words that are each other's best match by their cosines to the seeds."""
    size = settings.learning.vocabulary
    if not len(
        spaces.seeds
    ):  # nothing to compare words with but themselves, as VecMap does without a dictionary
        return start_unsupervised(x, z, replace(settings.learning, start_words=size), normalise)
    seeds = np.stack([spaces.anchors[: len(spaces.seeds)], spaces.seeds], axis=1)
    left, right = (to_device(side[:size] @ side[seeds[:, i]].T) for i, side in enumerate((x, z)))
    matches = assign_both(left, right, sinkhorn(left, right, settings.start))
    rows = torch.arange(len(left), device=left.device)
    mutual = matches.of_columns[matches.of_rows] == rows
    pairs = torch.stack([rows, matches.of_rows], dim=1)[mutual].cpu().numpy()
    LOG.info("%d words are each other's best match by their cosines to %d seeds", len(pairs), len(seeds))
    return np.concatenate([seeds, pairs])


def solve_anchors(spaces: SeededSpaces, pairs: np.ndarray) -> np.ndarray:
    """Find unit vectors whose cosines to paired target words are nearest to those of the source.

    Ridge regression with the penalty that generalised cross-validation prefers.
    """
    pairs = np.unique(pairs, axis=0)
    source = unit_rows(spaces.source)
    given = unit_rows(spaces.target)[pairs[:, 1]].astype(np.float64)
    wanted = source[pairs[:, 0]].astype(np.float64) @ source[spaces.anchors].T
    values, axes = np.linalg.eigh(given.T @ given)
    values = np.maximum(values, 0)
    projected = axes.T @ (given.T @ wanted)
    penalty = _best_penalty(values, projected, float((wanted**2).sum()), len(pairs))
    solution = axes @ (projected / (values + penalty)[:, None])
    return unit_rows(solution.T).astype(np.float32)


def translate_anchors(mapped: np.ndarray, z: np.ndarray, spaces: SeededSpaces, csls_k: int) -> np.ndarray:
    """Find distinct target words for the anchors: the best translations by CSLS in the common space."""
    source, target = unit(to_device(mapped)), unit(to_device(z))
    tops = mutual_nearest(source, target, csls_k)
    left, right = with_csls(source, target, *(top.values.mean(dim=1) for top in tops))
    queries = torch.from_numpy(spaces.anchors[len(spaces.seeds) :]).to(left.device)
    return distinct_words((left[queries] @ right.T).cpu().numpy(), spaces.seeds)


def _principal(rows: np.ndarray, width: int) -> np.ndarray:
    """Project centred rows onto their axes of largest variance and scale them back to length one."""
    _, axes = np.linalg.eigh(rows.T.astype(np.float64) @ rows)
    return unit_rows(rows @ axes[:, : -width - 1 : -1].astype(np.float32))


def _best_penalty(values: np.ndarray, projected: np.ndarray, total: float, pairs: int) -> float:
    """Find the penalty with the least error in generalised cross-validation: residual / freedom squared."""
    # What each axis explains of the total without shrinking; an axis without variance explains nothing.
    positive = values > values[-1] * np.finfo(np.float64).eps
    explained = np.zeros_like(values)
    explained[positive] = (projected[positive] ** 2).sum(axis=1) / values[positive]

    def error(penalty: float) -> float:
        shrinkage = values / (values + penalty)
        residual = total - ((2 - shrinkage) * shrinkage * explained).sum()
        return residual / (pairs - shrinkage.sum()) ** 2

    return min(PENALTIES, key=error)


def _held_out(spaces: SeededSpaces, seed: int) -> np.ndarray | None:
    """Draw known pairs that only serve for measuring."""
    if spaces.partners is None:
        return None
    known = np.flatnonzero(spaces.partners != UNKNOWN)
    rows = np.random.default_rng(seed).permutation(known)[:MEASURED]
    return np.stack([rows, spaces.partners[rows]], axis=1)


def _history(runs: dict[str, Learned]) -> pa.Table:
    tables = []
    for name, run in runs.items():
        table = history_table(run.history)
        tables.append(table.add_column(0, "run", pa.array([name] * len(table), pa.string())))
    return pa.concat_tables(tables)
