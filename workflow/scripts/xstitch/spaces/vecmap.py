"""VecMap: linear maps of two spaces of word vectors into one (Artetxe et al. 2018a, 2018b).

Both spaces are normalised over their full vocabularies. A supervised map comes from a dictionary alone; the
other modes first grow a dictionary by self-learning (`xstitch.spaces.self_learning`) and take the same map
from it.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.sources.lexica import SCHEMA
from xstitch.spaces.learning_state import Iteration
from xstitch.spaces.self_learning import learn_dictionary, start_unsupervised
from xstitch.spaces.settings.alignment import VecmapSettings
from xstitch.training.checkpoints import Checkpoint
from xstitch.vectors.table import Vectors, unit_rows

LOG = logging.getLogger("xstitch")
NEEDS_DICTIONARY = ("supervised", "orthogonal", "semi-supervised")
# Singular values this much below the largest are rounding errors of float32, and whitening divides by them.
RANK_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Alignment:
    """Two matrices in one space, the dictionary behind them and the history of its learning.

    A given dictionary is scored by cosine in the common space, a learned one by CSLS under the best map.
    """

    source: np.ndarray
    target: np.ndarray
    dictionary: pa.Table
    history: list[Iteration]

    @property
    def objective(self) -> float | None:
        """The best objective of self-learning, in percent."""
        return max((step.objective for step in self.history), default=None)


def align(
    source: Vectors,
    target: Vectors,
    dictionary: pa.Table | None,
    settings: VecmapSettings,
    validation: pa.Table | None = None,
    checkpoint: Checkpoint | None = None,
) -> Alignment:
    """Map both spaces into one, by a dictionary (table with source, target) or by self-learning."""
    _check(source, target, dictionary, settings)
    x, z = normalise(source.matrix), normalise(target.matrix)
    if settings.mode in ("supervised", "orthogonal"):
        rows = dictionary_rows(dictionary, source, target)
        mapped = _map_by(x, z, rows, settings)
        scores = np.einsum("ij,ij->i", *(unit_rows(side[rows[:, i]]) for i, side in enumerate(mapped)))
        return Alignment(*mapped, _table(rows, scores, source, target), [])
    start = _first_rows(x, z, source, target, dictionary, settings)
    held_out = None if validation is None else dictionary_rows(validation, source, target)
    learned = learn_dictionary(x, z, start, settings.learning, held_out, checkpoint)
    mapped = _map_by(x, z, learned.rows, settings)
    return Alignment(*mapped, _table(learned.rows, learned.scores, source, target), learned.history)


def normalise(matrix: np.ndarray) -> np.ndarray:
    """Scale rows to length one, centre columns, scale again."""
    rows = unit_rows(np.asarray(matrix, dtype=np.float32))
    rows -= rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    return unit_rows(rows, out=rows)


def orthogonal_map(x: np.ndarray, z: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Find the orthogonal W that brings x W nearest to z on the pairs (Procrustes).

    Between spaces of different dimensions, the rows or columns of W, whichever are fewer, are orthonormal.
    """
    u, _, vt = np.linalg.svd(_product(x[rows[:, 0]], z[rows[:, 1]]), full_matrices=False)
    return u @ vt


def whitened_maps(
    x: np.ndarray, z: np.ndarray, rows: np.ndarray, reweight: float
) -> tuple[np.ndarray, np.ndarray]:
    """Find the maps of both sides: whiten, rotate to common axes, re-weight, colour each side on its own."""
    a, b = x[rows[:, 0]], z[rows[:, 1]]
    (whiten_a, colour_a), (whiten_b, colour_b) = _whitening(a), _whitening(b)
    u, s, vt = np.linalg.svd(whiten_a @ _product(a, b) @ whiten_b)
    weights = s**reweight
    return (
        (whiten_a @ u * weights) @ (u.T @ colour_a @ u),
        (whiten_b @ vt.T * weights) @ (vt @ colour_b @ vt.T),
    )


def spans_all_dimensions(rows: np.ndarray) -> bool:
    """Say whether rows can be whitened: not with fewer rows than dimensions or with dependent columns."""
    values = np.linalg.eigvalsh(_product(rows, rows))
    return len(rows) >= rows.shape[1] and bool(values[0] > RANK_TOLERANCE**2 * values[-1])


def dictionary_rows(dictionary: pa.Table, source: Vectors, target: Vectors) -> np.ndarray:
    """Look up the pairs with both words in the vocabularies; each pair once, in the dictionary's order."""
    words = zip(dictionary["source"].to_pylist(), dictionary["target"].to_pylist(), strict=True)
    pairs = [(source.index[s], target.index[t]) for s, t in words if s in source.index and t in target.index]
    if not pairs:
        raise InputError(
            f"none of the dictionary's {len(dictionary)} pairs has both words in the vectors: "
            "check languages, direction and casing"
        )
    return np.array(list(dict.fromkeys(pairs)))


def history_table(history: list[Iteration]) -> pa.Table:
    """Put the iterations into a table, one row each; accuracy is null without a validation dictionary."""
    fields = [("iteration", pa.int32()), ("keep", pa.float32()), ("pairs", pa.int32())]
    schema = pa.schema([*fields, ("objective", pa.float64()), ("accuracy", pa.float64())])
    return pa.Table.from_pylist([asdict(step) for step in history], schema=schema)


def _map_by(
    x: np.ndarray, z: np.ndarray, rows: np.ndarray, settings: VecmapSettings
) -> tuple[np.ndarray, np.ndarray]:
    if settings.mode != "orthogonal":
        if all(spans_all_dimensions(side[np.unique(rows[:, i])]) for i, side in enumerate((x, z))):
            maps = whitened_maps(x, z, rows, settings.reweight)
            return tuple(side @ w.astype(np.float32) for side, w in zip((x, z), maps, strict=True))
        LOG.warning(
            "%d dictionary pairs do not span the %d dimensions of the vectors: "
            "not whitened, the map is plain orthogonal",
            len(np.unique(rows, axis=0)),
            x.shape[1],
        )
    return x @ orthogonal_map(x, z, rows).astype(np.float32), z


def _first_rows(
    x: np.ndarray,
    z: np.ndarray,
    source: Vectors,
    target: Vectors,
    dictionary: pa.Table | None,
    settings: VecmapSettings,
) -> np.ndarray:
    if settings.mode == "unsupervised":
        return start_unsupervised(x, z, settings.learning, normalise)
    if settings.mode == "semi-supervised":
        return dictionary_rows(dictionary, source, target)
    shared = [(row, target.index[word]) for row, word in enumerate(source.words) if word in target.index]
    if not shared:
        raise InputError("the two vocabularies share no word: alignment mode 'identical' cannot start")
    return np.array(shared)


def _check(source: Vectors, target: Vectors, dictionary: pa.Table | None, settings: VecmapSettings) -> None:
    if settings.mode in NEEDS_DICTIONARY and dictionary is None:
        raise InputError(f"alignment mode {settings.mode!r} needs a dictionary")
    check_spaces(source, target)


def check_spaces(source: Vectors, target: Vectors) -> None:
    """Refuse spaces that no square map can join."""
    dimensions = source.matrix.shape[1], target.matrix.shape[1]
    if dimensions[0] != dimensions[1]:
        raise InputError(f"vectors of {dimensions[0]} and {dimensions[1]} dimensions cannot be aligned")
    for side, vectors in (("source", source), ("target", target)):
        if not np.isfinite(vectors.matrix).all():
            raise InputError(f"the {side} vectors contain numbers that are not finite: import them again")


def _table(rows: np.ndarray, scores: np.ndarray, source: Vectors, target: Vectors) -> pa.Table:
    """Put pairs into a table, best score first; a pair found in both directions is listed once."""
    pairs, first = np.unique(rows, axis=0, return_index=True)
    order = np.argsort(-scores[first], kind="stable")
    pairs, scores = pairs[order], scores[first][order]
    columns = [[source.words[i] for i in pairs[:, 0]], [target.words[j] for j in pairs[:, 1]], scores]
    return pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute a^T b in float64: small singular values matter."""
    return a.T.astype(np.float64) @ b.astype(np.float64)


def _whitening(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the symmetric matrix that makes the rows' second moments the identity, and its inverse."""
    values, axes = np.linalg.eigh(_product(rows, rows))
    roots = np.sqrt(values)
    return axes / roots @ axes.T, axes * roots @ axes.T
