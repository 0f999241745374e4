"""Both sides of a stitched pair, mapped into the source model's embedding space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from tokenizers import Tokenizer

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides
from xstitch.spaces.dictionary_tokens import dictionary_rows
from xstitch.spaces.focus import focus_rows
from xstitch.spaces.regression import regression_rows
from xstitch.spaces.relative import map_rows, rescaled
from xstitch.spaces.settings.relative import RelativeMapping
from xstitch.spaces.wechsel import wechsel_rows
from xstitch.vectors.table import Vectors, unit_rows

LINEAR = ("least-squares", "orthogonal", "vecmap", "inverse-relative")
KINDS = ("relative", *LINEAR, "wechsel", "dictionary", "focus", "regression")
REWEIGHT = 0.5  # VecMap's power of the canonical correlations; 0 keeps all directions alike, 1 is regression


class Aids(NamedTuple):
    """What some kinds need besides both tables and the anchors."""

    aligned: Sides | None = None
    lexicon: pa.Table | None = None
    tokenizer: Tokenizer | None = None  # the model's


NONE = Aids()


def map_pair(
    source: Vectors,
    target: Vectors,
    anchors: pa.Table,
    special: list[str],
    settings: Mapping[str, Any],
    aids: Aids = NONE,
) -> dict[str, np.ndarray]:
    """Map the tables of a language pair by one of the kinds into arrays `source` and `target`.

    Only `relative` changes the source model: the other kinds return no array `source`.
    """
    if settings["kind"] == "relative":
        return _relative(source, target, *_anchor_rows(source, target, anchors), special, settings)
    if settings["kind"] in LINEAR:
        source_anchors, target_anchors = _anchor_rows(source, target, anchors)
        mapped = _linear(settings["kind"], target.matrix, target_anchors, source_anchors)
    else:
        mapped = _without_anchors(source, target, special, settings, aids)
    if settings.get("rescale"):
        mapped = rescaled(mapped, float(np.linalg.norm(source.matrix, axis=1).mean()))
    return {"target": mapped}


def _anchor_rows(source: Vectors, target: Vectors, anchors: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """Look up the anchors in both tables."""
    return (
        source.matrix[anchors.column("source_row").to_numpy()],
        target.matrix[anchors.column("target_row").to_numpy()],
    )


def _without_anchors(
    source: Vectors, target: Vectors, special: list[str], settings: Mapping[str, Any], aids: Aids
) -> np.ndarray:
    kind = settings["kind"]
    if kind == "wechsel":
        return wechsel_rows(source, special, aids.aligned, target.words, settings["k"], settings["tau"])
    if kind == "regression":
        return regression_rows(source, special, aids.aligned, target.words, settings["penalties"])
    if kind == "dictionary":
        return dictionary_rows(source, aids.tokenizer, aids.lexicon, target.words)
    if kind == "focus":
        return focus_rows(source, special, target)
    raise InputError(f"mapping kind {kind!r} is not one of {', '.join(KINDS)}")


def _linear(kind: str, rows: np.ndarray, anchors: np.ndarray, images: np.ndarray) -> np.ndarray:
    if kind == "least-squares":
        return least_squares(rows, anchors, images)
    if kind == "orthogonal":
        return rotated(rows, anchors, images)
    if kind == "vecmap":
        return canonical(rows, anchors, images, REWEIGHT)
    return inverse_relative(rows, anchors, images)


def least_squares(rows: np.ndarray, anchors: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Project rows by the matrix that brings the anchors nearest to their images (Frobenius norm)."""
    matrix, *_ = np.linalg.lstsq(anchors.astype(np.float64), images.astype(np.float64), rcond=None)
    return rows @ matrix.astype(np.float32)


def rotated(rows: np.ndarray, anchors: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Rotate rows so that the anchors come nearest to their images, as unit vectors around their means.

    The result has the images' mean and spread: what a model's embeddings have in common is part of every
    row it knows. Spaces of different dimensions are joined in the dimensions of the smaller one.
    """
    rows, anchors = unit_rows(rows), unit_rows(anchors)
    centre, image_centre = anchors.mean(axis=0), images.mean(axis=0)
    product = (anchors - centre).T.astype(np.float64) @ (images - image_centre)
    u, _, vt = np.linalg.svd(product, full_matrices=False)
    rotation = (u @ vt).astype(np.float32)
    size = np.linalg.norm(images - image_centre) / np.linalg.norm((anchors - centre) @ rotation)
    return ((rows - centre) @ rotation) * np.float32(size) + image_centre


def canonical(rows: np.ndarray, anchors: np.ndarray, images: np.ndarray, reweight: float) -> np.ndarray:
    """Map rows by canonical correlation: VecMap's whitening, rotation, re-weighting and de-whitening.

    Both whitenings come from the anchors; undoing the images' whitening leads into their space. With a
    weight of 1 this is linear regression, which shrinks what the anchors do not determine; VecMap's 0.5
    shrinks it half as much.
    """
    if len(anchors) <= max(anchors.shape[1], images.shape[1]):
        raise InputError(
            f"{len(anchors)} anchors cannot whiten spaces of {anchors.shape[1]} and {images.shape[1]} "
            "dimensions: use the mapping kind orthogonal, or more anchors"
        )
    centre, image_centre = anchors.mean(axis=0, dtype=np.float64), images.mean(axis=0, dtype=np.float64)
    basis, sizes, axes = np.linalg.svd(anchors - centre, full_matrices=False)
    image_basis, image_sizes, image_axes = np.linalg.svd(images - image_centre, full_matrices=False)
    u, correlations, vt = np.linalg.svd(basis.T @ image_basis, full_matrices=False)
    whiten, colour = axes.T / sizes, image_sizes[:, None] * image_axes
    matrix = whiten @ (u * correlations**reweight) @ vt @ colour
    return ((rows - centre) @ matrix + image_centre).astype(np.float32)


def inverse_relative(rows: np.ndarray, anchors: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Find the rows whose cosines to the images are nearest to those of the given rows to the anchors.

    The inverse relative projection (Maiorca et al., 2024): both spaces are centred on their anchors' means,
    cosines are undone by the pseudo-inverse of the images, and rows get the images' mean distance from
    their mean, for cosines have no length. Any model takes such rows as it is.
    """
    centre, image_centre = anchors.mean(axis=0), images.mean(axis=0)
    units = unit_rows((anchors - centre).astype(np.float64))
    image_units = unit_rows((images - image_centre).astype(np.float64))
    matrix = units.T @ np.linalg.pinv(image_units).T
    found = unit_rows(unit_rows((rows - centre).astype(np.float64)) @ matrix)
    length = np.linalg.norm(images - image_centre, axis=1).mean()
    return (found * length + image_centre).astype(np.float32)


def _relative(
    source: Vectors,
    target: Vectors,
    source_anchors: np.ndarray,
    target_anchors: np.ndarray,
    special: list[str],
    settings: Mapping[str, Any],
) -> dict[str, np.ndarray]:
    keys = [field.name for field in fields(RelativeMapping) if field.name in settings]
    mapping = RelativeMapping(**{key: settings[key] for key in keys})
    if mapping.k is not None and mapping.k > len(source_anchors):
        raise InputError(
            f"mapping: k is {mapping.k}, but there are only {len(source_anchors)} anchors; "
            "lower k, set it to null for all, or give a larger lexicon"
        )
    source_centre, target_centre = (_centre(side, settings) for side in (source_anchors, target_anchors))
    basis = source_anchors - source_centre
    tables = {
        "source": map_rows(source.matrix - source_centre, basis, basis, mapping),
        "target": map_rows(target.matrix - target_centre, target_anchors - target_centre, basis, mapping),
    }
    if mapping.rescale:
        norm = float(np.linalg.norm(source.matrix - source_centre, axis=1).mean())
        tables = {side: rescaled(table, norm) for side, table in tables.items()}
    tables = {side: table + source_centre for side, table in tables.items()}
    share = settings.get("original", 0.0)
    tables["source"] = (1 - share) * tables["source"] + share * source.matrix
    # Special tokens belong to no language: they keep the rows the model learned for them.
    rows = [source.index[token] for token in special]
    tables["source"][rows] = source.matrix[rows]
    return tables


def _centre(anchors: np.ndarray, settings: Mapping[str, Any]) -> np.ndarray:
    """Compute the mean of a space's anchors, to be subtracted before comparing; zeros without `centre`.

    The mean makes every word similar to every anchor, more so in a model's embeddings than in static vectors.
    """
    centre = anchors.mean(axis=0) if settings.get("centre") else np.zeros(anchors.shape[1])
    return centre.astype(np.float32)
