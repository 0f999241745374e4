"""Relative representations: every word as a weighted sum of anchor embeddings of the source model.

All words' similarities to all anchors would make a |V| x |A| matrix of many gigabytes. Rows are processed in
blocks instead, and only the k nearest anchors of each row are kept. Where all anchors count, none has to be
searched for: a block's weights are multiplied by the basis as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse

from xstitch.core.progress import progress
from xstitch.spaces.settings.relative import RelativeMapping
from xstitch.spaces.tiles import TILE_SCORES, ArrayProducts, Search, slices
from xstitch.vectors.table import unit_rows

LOG = logging.getLogger("xstitch")
PROGRESS = "relative representations"
NO_SUM = 1e-6  # of the absolute similarities: a smaller sum may be nothing but rounding


def map_rows(
    rows: np.ndarray, anchor_rows: np.ndarray, basis: np.ndarray, mapping: RelativeMapping
) -> np.ndarray:
    """Map rows of one space through their nearest anchors to sums of the basis embeddings.

    `anchor_rows` are the anchors in the space of `rows`, `basis` the same anchors in the source model.
    """
    weigh = _weighting(mapping)
    mapped = np.empty((len(rows), basis.shape[1]), dtype=np.float32)
    if mapping.k is None:
        for block, similarities in all_similarities(rows, anchor_rows):
            mapped[block] = weigh(similarities) @ basis
    else:
        for block, anchors, similarities in nearest_anchors(rows, anchor_rows, mapping.k):
            mapped[block] = _weighted_sums(anchors, weigh(similarities), basis)
    return mapped


def rescaled(rows: np.ndarray, norm: float) -> np.ndarray:
    """Bring every row to one norm: a sum of unlike anchors is short, and short rows carry little weight."""
    return (unit_rows(rows) * np.float32(norm)).astype(np.float32, copy=False)


def all_similarities(rows: np.ndarray, anchor_rows: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield, block by block, each row's cosines to all anchors, valid until the next block."""
    anchors = _unit(anchor_rows)
    product, size = ArrayProducts(anchors), max(1, TILE_SCORES // len(anchors))
    for block in progress(list(slices(len(rows), size)), PROGRESS, unit="block"):
        yield block, product(_unit(rows[block]), anchors)


def nearest_anchors(
    rows: np.ndarray, anchor_rows: np.ndarray, k: int
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield, block by block, each row's k nearest anchors by cosine and the similarities, nearest first.

    Of equally near anchors the first are taken.
    """
    anchors = _unit(anchor_rows)
    search = Search(anchors, min(k, len(anchors)))
    for block in progress(search.blocks(len(rows)), PROGRESS, unit="block"):
        top = search(_unit(rows[block]))
        yield block, top.indices, top.values


def _unit(rows: np.ndarray) -> np.ndarray:
    return unit_rows(rows.astype(np.float32, copy=False))


def _weighting(mapping: RelativeMapping) -> Callable[[np.ndarray], np.ndarray]:
    return {
        "standard": clipped_weights if mapping.negative == "clip" else standard_weights,
        "softmax": lambda similarities: softmax_weights(similarities / mapping.tau),
        "sparsemax": lambda similarities: sparsemax_weights(similarities / mapping.tau),
    }[mapping.weighting]


def standard_weights(similarities: np.ndarray) -> np.ndarray:
    """Divide similarities by their sum, negative ones too, as the paper's formula has it.

    A small sum makes large weights of both signs, a negative one turns the row around. A row whose sum cannot
    be told from 0 takes its nearest anchor alone.
    """
    total = similarities.sum(axis=1, keepdims=True, dtype=np.float64)
    defined = np.abs(total) > NO_SUM * np.abs(similarities).sum(axis=1, keepdims=True, dtype=np.float64)
    if not defined.all():
        LOG.warning(
            "%d of %d rows: their similarities to the anchors add up to 0; they take the nearest anchor",
            *(int((~defined).sum()), len(defined)),
        )
    weights = _nearest_only(similarities)
    return np.divide(similarities, total.astype(similarities.dtype), out=weights, where=defined)


def clipped_weights(similarities: np.ndarray) -> np.ndarray:
    """Divide similarities by their sum; negative ones count as 0.

    A row with no positive similarity takes its nearest anchor alone.
    """
    positive = np.maximum(similarities, 0)
    total = positive.sum(axis=1, keepdims=True)
    return np.divide(positive, total, out=_nearest_only(similarities), where=total > 0)


def _nearest_only(similarities: np.ndarray) -> np.ndarray:
    weights = np.zeros_like(similarities)
    weights[np.arange(len(weights)), similarities.argmax(axis=1)] = 1
    return weights


def softmax_weights(scores: np.ndarray) -> np.ndarray:
    """Softmax of each row."""
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def sparsemax_weights(scores: np.ndarray) -> np.ndarray:
    """Project each row onto the simplex (Martins and Astudillo 2016)."""
    ranks, ordered = np.arange(1, scores.shape[1] + 1), -np.sort(-scores, axis=1)
    cumulated = np.cumsum(ordered, axis=1, dtype=np.float64)  # float32 drifts over thousands of anchors
    support = (1 + ranks * ordered > cumulated).sum(axis=1, keepdims=True)
    threshold = (np.take_along_axis(cumulated, support - 1, axis=1) - 1) / support
    return np.maximum(scores - threshold, 0).astype(scores.dtype)


def _weighted_sums(anchors: np.ndarray, weights: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Sum basis rows by weight; a sparse product needs no block x k x D intermediate."""
    ends = np.arange(0, anchors.size + 1, anchors.shape[1])
    shape = (len(anchors), len(basis))
    return sparse.csr_matrix((weights.ravel(), anchors.ravel(), ends), shape=shape) @ basis
