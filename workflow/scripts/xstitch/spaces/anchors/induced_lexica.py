"""Lexica induced from a few word pairs: bootstrapped anchors between two languages, for MoSECroT."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.sources.lexica import SCHEMA
from xstitch.spaces.anchors.lexicon import build_anchors
from xstitch.spaces.anchors.problem import FoundAnchors, SeededSpaces
from xstitch.spaces.settings.anchors import AnchorRules
from xstitch.spaces.vecmap import normalise
from xstitch.vectors.table import Vectors


def frequent_centred(vectors: Vectors, size: int) -> Vectors:
    """Take the most frequent words, their vectors centred and scaled to length one.

    One language's mean has nothing to do with the other's, but it shifts all cosines of a word.
    """
    return Vectors(vectors.words[:size], normalise(vectors.matrix[:size]))


def seed_pairs(lexicon: pa.Table, source: Vectors, target: Vectors, seeds: int | None) -> np.ndarray:
    """Choose the rows of the seeds: the pairs with the highest scores, ties by frequency; None: all pairs.

    No word of either side is in two pairs.
    """
    if seeds == 0:
        return np.empty((0, 2), dtype=int)
    known = build_anchors(lexicon, source.index, target.index, AnchorRules("highest-score"))
    best = sorted(known, key=lambda pair: (-pair.score, pair.source_row + pair.target_row))
    if seeds is not None and len(best) < seeds:
        raise InputError(
            f"{seeds} seeds are needed, but the lexicon has {len(best)} pairs that both spaces know"
        )
    return np.array([(pair.source_row, pair.target_row) for pair in best[:seeds]], dtype=int).reshape(-1, 2)


def seeded_languages(source: Vectors, target: Vectors, pairs: np.ndarray, anchors: int) -> SeededSpaces:
    """Take the most frequent words as further anchors after the seeds; only the seeds' partners are known."""
    others = np.setdiff1d(np.arange(len(source.words)), pairs[:, 0])[: max(0, anchors - len(pairs))]
    return SeededSpaces(source.matrix, target.matrix, np.concatenate([pairs[:, 0], others]), pairs[:, 1])


def lexicon_of(spaces: SeededSpaces, found: FoundAnchors, source: Vectors, target: Vectors) -> pa.Table:
    """List seeds and found pairs; the score is the cosine of a found anchor to its word, 1 for seeds."""
    rows = target.matrix[found.rows]
    vectors = found.vectors / np.linalg.norm(found.vectors, axis=1, keepdims=True)
    cosines = (rows * vectors).sum(axis=1) / np.maximum(np.linalg.norm(rows, axis=1), 1e-12)
    cosines[: len(spaces.seeds)] = 1.0
    return pa.table(
        {
            "source": [source.words[row] for row in spaces.anchors],
            "target": [target.words[row] for row in found.rows],
            "score": cosines,
        }
    ).cast(SCHEMA)
