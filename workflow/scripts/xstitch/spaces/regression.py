"""Rows by regression: from static source vectors to the model's rows, applied to aligned target vectors.

HyperOFA (Özeren et al., 2025) trains a network for this; here it is a ridge regression. Least squares over
anchors learns from the pairs of a dictionary; this learns from every source word that the model has a row
for, and the dictionary serves the alignment alone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

import numpy as np

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides
from xstitch.spaces.wechsel import token_pairs
from xstitch.vectors.table import Vectors

LOG = logging.getLogger("xstitch")
FOLDS = 5  # every fifth word is held out in turn


def regression_rows(
    source: Vectors,
    special: Iterable[str],
    aligned: Sides,
    target_words: list[str],
    penalties: Sequence[float],
) -> np.ndarray:
    """Map every target word by the ridge regression whose penalty predicts held-out source words best."""
    rows, token_rows = token_pairs(source, special, aligned, target_words)
    if len(rows) < FOLDS:
        raise InputError(
            f"mapping: {len(rows)} of {len(aligned.source.words)} source words are tokens of the model, too "
            "few to learn from; use vectors of the model's language"
        )
    vectors, images = aligned.source.matrix[rows], source.matrix[token_rows]
    penalty = min(penalties, key=lambda tried: held_out_error(vectors, images, tried))
    LOG.info("penalty %g, learnt from %d words", penalty, len(rows))
    return ridge(vectors, images, aligned.target.matrix, penalty)


def held_out_error(vectors: np.ndarray, images: np.ndarray, penalty: float) -> float:
    """Compute the mean squared error on words that a regression has not seen, over all folds."""
    fold, total = np.arange(len(vectors)) % FOLDS, 0.0
    for number in range(FOLDS):
        seen = fold != number
        predicted = ridge(vectors[seen], images[seen], vectors[~seen], penalty)
        total += float(np.square(predicted - images[~seen], dtype=np.float64).sum())
    return total / images.size


def ridge(vectors: np.ndarray, images: np.ndarray, rows: np.ndarray, penalty: float) -> np.ndarray:
    """Predict the images of rows; the penalty is relative to the mean variance of the vectors' features."""
    centre, image_centre = vectors.mean(axis=0, dtype=np.float64), images.mean(axis=0, dtype=np.float64)
    centred = vectors - centre
    product = centred.T @ centred
    size = penalty * np.trace(product) / len(product)
    matrix = np.linalg.solve(product + size * np.eye(len(product)), centred.T @ (images - image_centre))
    return ((rows - centre) @ matrix + image_centre).astype(np.float32)
