"""Parallel anchors without a dictionary, the way of mini-vec2vec (Dar 2025, arXiv 2510.02348).

Words of both spaces are clustered several times, and the centroids of each clustering are matched across
spaces by their similarities among themselves (a quadratic assignment). All matched centroids together serve
as anchors: a word's translation is the mean of the target words with the most similar cosines to them. An
orthogonal map is fitted to these, refined by its own nearest words, and by a finer clustering at last.

Pairs that are known, if any, are anchors beside the centroids in every run; that is ours.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import torch
from sklearn.cluster import KMeans

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.spaces.anchors.alternate import common_axes, solve_anchors, translate_anchors
from xstitch.spaces.anchors.assignment import assign, objective
from xstitch.spaces.anchors.problem import FoundAnchors, SeededSpaces
from xstitch.spaces.csls import with_csls
from xstitch.spaces.neighbours import mutual_nearest, nearest, to_device, unit
from xstitch.spaces.settings.search import CentroidSettings
from xstitch.spaces.vecmap import normalise
from xstitch.vectors.table import unit_rows

LOG = logging.getLogger("xstitch")
HISTORY = pa.schema([("stage", pa.string()), ("number", pa.int32()), ("value", pa.float64())])


def centroid_anchors(spaces: SeededSpaces, settings: CentroidSettings) -> FoundAnchors:
    """Match centroids, fit and refine a map, and translate the anchors by it."""
    x, z = common_axes(normalise(spaces.source), normalise(spaces.target))
    _check(x, z, settings)
    seeds = np.stack([spaces.anchors[: len(spaces.seeds)], spaces.seeds], axis=1)
    random, history = np.random.default_rng(settings.seed), []
    rotation = first_map(x, z, seeds, settings, random, history)
    for refined in refined_maps(x, z, seeds, rotation, settings, random):
        rotation = refined
        history.append(("refinement", len(history) + 1, _agreement(x, z, rotation)))
    return found_by_map(spaces, x, z, rotation, settings.csls_k, _table(history))


def first_map(
    x: np.ndarray,
    z: np.ndarray,
    seeds: np.ndarray,
    settings: CentroidSettings,
    random: np.random.Generator,
    history: list[tuple[str, int, float]],
) -> np.ndarray:
    """Fit an orthogonal map to words and the means of the target words most like them."""
    known, theirs = x[seeds[:, 0]], z[seeds[:, 1]]
    left, right = [], []
    for number in progress(range(1, settings.runs + 1), "matched centroids", unit="run"):
        # Not scaled to length one: how tight a cluster is also tells which it is.
        a, b = (_centroids(side, settings, random) for side in (x, z))
        # Twice: a similarity of a centroid and a known word is on both sides of the diagonal.
        linear = 2 * (a @ known.T) @ (b @ theirs.T).T
        order = assign(a @ a.T, b @ b.T, linear, settings.restarts, random)
        history.append(("run", number, objective(a @ a.T, b @ b.T, linear, order)))
        left.append(unit_rows(a))
        right.append(unit_rows(b[order]))
    # The known pairs are anchors in every run; the root, because cosines are of products.
    weight = np.sqrt(settings.runs)
    described = (
        unit_rows(np.hstack([side @ np.concatenate(parts).T, weight * (side @ words.T)]))
        for side, parts, words in ((x, left, known), (z, right, theirs))
    )
    matched = _mean_of_nearest(*described, z, settings.neighbours)
    matched[seeds[:, 0]] = theirs
    return procrustes(x, matched)


def refined_maps(
    x: np.ndarray,
    z: np.ndarray,
    seeds: np.ndarray,
    rotation: np.ndarray,
    settings: CentroidSettings,
    random: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Yield the map after each refinement: by the nearest words of samples, then by fine clusters."""
    known, theirs = x[seeds[:, 0]], z[seeds[:, 1]]
    for _ in progress(range(settings.iterations), "refined map", unit="iteration"):
        rows = x[random.permutation(len(x))[: settings.refined_words]]
        matched = _mean_of_nearest(unit_rows(rows @ rotation), z, z, settings.neighbours)
        fitted = procrustes(np.concatenate([rows, known]), np.concatenate([matched, theirs]))
        rotation = _smoothed(rotation, fitted, settings)
        yield rotation
    if settings.fine_clusters:
        ours = _fitted(x, settings.fine_clusters, random, "k-means++")
        # Started from the mapped centroids, so that clusters with the same number are about the same words.
        other = _fitted(z, settings.fine_clusters, random, (ours @ rotation).astype(z.dtype))
        yield _smoothed(rotation, procrustes(ours, other), settings)


def found_by_map(
    spaces: SeededSpaces, x: np.ndarray, z: np.ndarray, rotation: np.ndarray, csls_k: int, history: pa.Table
) -> FoundAnchors:
    """Translate the anchors by a map, and solve for their vectors by the words that match under it."""
    mapped = unit_rows(x @ rotation).astype(np.float32)
    pairs = mutual_pairs(mapped, z, csls_k)
    seeds = np.stack([spaces.anchors[: len(spaces.seeds)], spaces.seeds], axis=1)
    LOG.info("%d words are each other's nearest under the map", len(pairs))
    rows = translate_anchors(mapped, z, spaces, csls_k)
    return FoundAnchors(solve_anchors(spaces, np.concatenate([seeds, pairs])), rows, history)


def mutual_pairs(x: np.ndarray, z: np.ndarray, csls_k: int) -> np.ndarray:
    """Pair the words that are each other's nearest by CSLS."""
    left, right = unit(to_device(x)), unit(to_device(z))
    left, right = with_csls(
        left, right, *(top.values.mean(dim=1) for top in mutual_nearest(left, right, csls_k))
    )
    forth, back = (top.indices[:, 0] for top in mutual_nearest(left, right, 1))
    rows = torch.arange(len(forth), device=forth.device)
    mutual = back[forth] == rows
    return torch.stack([rows, forth], dim=1)[mutual].cpu().numpy()


def procrustes(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Find the orthogonal map of rows nearest to their partners, which have the same positions."""
    u, _, vt = np.linalg.svd(x.T.astype(np.float64) @ z)
    return u @ vt


def _centroids(side: np.ndarray, settings: CentroidSettings, random: np.random.Generator) -> np.ndarray:
    return _fitted(
        side[random.permutation(len(side))[: settings.sample]], settings.clusters, random, "k-means++"
    )


def _fitted(
    rows: np.ndarray, clusters: int, random: np.random.Generator, start: str | np.ndarray
) -> np.ndarray:
    seed = int(random.integers(2**31))
    return KMeans(clusters, n_init=1, init=start, random_state=seed).fit(rows).cluster_centers_


def _mean_of_nearest(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, number: int) -> np.ndarray:
    """Average the values of each query's nearest keys."""
    found = nearest(to_device(queries), to_device(keys), min(number, len(keys))).indices.cpu().numpy()
    return values[found].mean(axis=1)


def _smoothed(before: np.ndarray, fitted: np.ndarray, settings: CentroidSettings) -> np.ndarray:
    return settings.smoothing * before + (1 - settings.smoothing) * fitted


def _agreement(x: np.ndarray, z: np.ndarray, rotation: np.ndarray) -> float:
    """Compute the mean cosine of the most frequent words to their nearest, in percent: it needs no truth."""
    mapped = to_device(unit_rows(x[:MEASURED] @ rotation))
    return 100 * float(nearest(mapped, to_device(z), 1).values.double().mean())


MEASURED = 1_000  # words whose nearest are looked up after each refinement


def _check(x: np.ndarray, z: np.ndarray, settings: CentroidSettings) -> None:
    fewest = max(settings.clusters, settings.fine_clusters)
    if min(len(x), len(z)) < fewest:
        raise InputError(
            f"centroids: {fewest} clusters of {min(len(x), len(z))} words: lower clusters and fine_clusters"
        )


def _table(history: list[tuple[str, int, float]]) -> pa.Table:
    rows = [dict(zip(HISTORY.names, entry, strict=True)) for entry in history]
    return pa.Table.from_pylist(rows, schema=HISTORY)
