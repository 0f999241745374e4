"""Anchors confirmed by their vectors: pairs that a map learned from the other pairs also finds.

An orthogonal map is fitted on the anchors of all folds but one. A pair of that one stays if its words are
among each other's k nearest, by CSLS, of all anchors' words. No pair takes part in the map that judges it:
with fewer pairs than dimensions, a map can make any pair agree.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
import torch

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.spaces.anchors.lexicon import Anchor
from xstitch.spaces.neighbours import mutual_nearest, nearest, to_device, unit, with_csls
from xstitch.spaces.settings.anchors import Agreement
from xstitch.spaces.vecmap import normalise, orthogonal_map

LOG = logging.getLogger("xstitch")
FEWEST = 50  # anchors; a map of fewer says nothing
USUAL = 0.1  # share of pairs that agree; even k = 1 confirms a third of a good lexicon on real vectors


def confirmed(
    anchors: Sequence[Anchor], source: np.ndarray, target: np.ndarray, settings: Agreement
) -> list[Anchor]:
    """Keep the anchors that a map of the others confirms; the vectors may differ in dimensions."""
    if len(anchors) < FEWEST:
        raise InputError(
            f"anchors: agreement needs at least {FEWEST} pairs, not {len(anchors)}: leave it out"
        )
    rows = np.array([(anchor.source_row, anchor.target_row) for anchor in anchors])
    # A word of several pairs is one candidate.
    (x, left), (z, right) = (_words(side, rows[:, i]) for i, side in enumerate((source, target)))
    pairs = np.stack([left, right], axis=1)
    folds = np.random.default_rng(settings.seed).permutation(len(pairs)) % settings.folds
    agree = np.zeros(len(pairs), dtype=bool)
    for fold in progress(range(settings.folds), "confirm anchors", unit="fold"):
        held = folds == fold
        agree[held] = _mutual(x @ orthogonal_map(x, z, pairs[~held]), z, pairs[held], settings)
    if not agree.any():
        raise InputError(f"anchors: agreement confirms none of {len(anchors)} pairs: raise k or leave it out")
    LOG.info("%d of %d anchors agree with the others", agree.sum(), len(agree))
    if agree.mean() < USUAL:
        LOG.warning("anchors: so few agree that it may be chance: no map joins these two spaces well")
    return [anchor for anchor, stays in zip(anchors, agree, strict=True) if stays]


def _words(matrix: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normalise the vectors of the distinct rows, and tell which of them each row is."""
    distinct, places = np.unique(rows, return_inverse=True)
    return normalise(matrix[distinct]), places


def _mutual(x: np.ndarray, z: np.ndarray, pairs: np.ndarray, settings: Agreement) -> np.ndarray:
    """Tell which pairs are among each other's k nearest by CSLS."""
    left, right = unit(to_device(x)), unit(to_device(z))
    forth, back = mutual_nearest(left, right, settings.csls_k)
    left, right = with_csls(left, right, forth.values.mean(dim=1), back.values.mean(dim=1))
    ours, theirs = (torch.from_numpy(pairs[:, i]).to(left.device) for i in range(2))
    found = (nearest(left[ours], right, settings.k).indices == theirs[:, None]).any(dim=1)
    found &= (nearest(right[theirs], left, settings.k).indices == ours[:, None]).any(dim=1)
    return found.cpu().numpy()
