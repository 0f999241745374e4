"""Aligned spaces: the vectors of two languages in one space, with their words, in one npz file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.core.files import load_npz, save_npz
from xstitch.vectors.table import Vectors, pack_words, unpack_words

SIDES = ("source", "target")
FITTED_ROWS = 20_000  # many times the dimensions of any vectors, and 60 MB of them at 768


class Sides(NamedTuple):
    """The vectors of the source and of one target language, aligned."""

    source: Vectors
    target: Vectors


def save_aligned(sides: Sides, path: str | Path) -> None:
    """Write both sides, each with its words."""
    matrices = {side: getattr(sides, side).matrix for side in SIDES}
    words = {f"{side}_words": pack_words(getattr(sides, side).words) for side in SIDES}
    save_npz(path, **matrices, **words)


def load_aligned(path: str | Path) -> Sides:
    """Read what `save_aligned` wrote."""
    arrays = load_npz(path)
    try:
        return Sides(*(Vectors(unpack_words(arrays[f"{side}_words"]), arrays[side]) for side in SIDES))
    except (KeyError, ValueError) as problem:
        raise InputError(
            f"{path}: does not hold aligned vectors with their words ({problem}); make it again"
        ) from problem


def known_pairs(sides: Sides, dictionary: pa.Table, limit: int) -> np.ndarray:
    """Find the rows of a dictionary's pairs (source, target) among the first `limit` words of both sides."""
    words = (dictionary[side].to_pylist() for side in SIDES)
    rows = [
        [vectors.index.get(word, limit) for word in column]
        for vectors, column in zip(sides, words, strict=True)
    ]
    pairs = np.array(rows, dtype=np.int64).T
    return pairs[(pairs < limit).all(axis=1)]


def common_space(sources: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Find the maps that take each pair's space to the first pair's.

    Every pair has the same source vectors, mapped linearly, so the map from one image of them to another
    also carries the target language.
    """
    return [map_onto(source, sources[0]) for source in sources]


def map_onto(image: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Find the linear map from one image of some vectors to another image of them.

    It exists, so that any rows that span the space determine it: a part of a large vocabulary is enough.
    """
    return np.linalg.lstsq(image[:FITTED_ROWS], other[:FITTED_ROWS], rcond=None)[0]
