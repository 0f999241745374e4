"""Both sides of a stitched pair, mapped into the source model's embedding space."""

from __future__ import annotations

from collections.abc import Mapping as Settings
from typing import Any

import numpy as np
import pyarrow as pa

from xstitch.errors import InputError
from xstitch.relative import Mapping, map_rows, rescaled
from xstitch.vectors import Vectors

KINDS = ("relative", "least-squares")


def map_pair(
    source: Vectors, target: Vectors, anchors: pa.Table, special: list[str], settings: Settings[str, Any]
) -> dict[str, np.ndarray]:
    """Map the tables of a language pair by one of the kinds; the arrays `source` and `target` result.

    Least squares leaves the source model as it is: it has no array `source`.
    """
    source_anchors = source.matrix[anchors.column("source_row").to_numpy()]
    target_anchors = target.matrix[anchors.column("target_row").to_numpy()]
    if settings["kind"] == "relative":
        return _relative(source, target, source_anchors, target_anchors, special, settings)
    if settings["kind"] == "least-squares":
        return {"target": least_squares(target.matrix, target_anchors, source_anchors)}
    raise InputError(f"mapping kind {settings['kind']!r} is not one of {', '.join(KINDS)}")


def least_squares(rows: np.ndarray, anchors: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Project rows by the matrix that brings the anchors nearest to their images (Frobenius norm)."""
    matrix, *_ = np.linalg.lstsq(anchors.astype(np.float64), images.astype(np.float64), rcond=None)
    return rows @ matrix.astype(np.float32)


def _relative(
    source: Vectors,
    target: Vectors,
    source_anchors: np.ndarray,
    target_anchors: np.ndarray,
    special: list[str],
    settings: Settings[str, Any],
) -> dict[str, np.ndarray]:
    mapping = Mapping(settings["weighting"], settings["k"], settings["tau"], settings["rescale"])
    tables = {
        "source": map_rows(source.matrix, source_anchors, source_anchors, mapping),
        "target": map_rows(target.matrix, target_anchors, source_anchors, mapping),
    }
    if mapping.rescale:
        norm = float(np.linalg.norm(source.matrix, axis=1).mean())
        tables = {side: rescaled(table, norm) for side, table in tables.items()}
    # Special tokens mean nothing in any language: they keep the rows the model learned for them.
    rows = [source.index[token] for token in special]
    tables["source"][rows] = source.matrix[rows]
    return tables
