"""Anchors confirmed by their vectors: pairs that a map learned from the other pairs also finds.

An orthogonal map is fitted on the anchors of all folds but one. A pair of the remaining fold is kept if its
words are among each other's k nearest, by CSLS, among the words of all anchors. No pair takes part in the map
that judges it: with fewer pairs than dimensions, a map can make any pair agree.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
import torch

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.spaces.anchors.lexicon import Anchor
from xstitch.spaces.csls import with_csls
from xstitch.spaces.neighbours import mutual_nearest, nearest, to_device, unit
from xstitch.spaces.settings.anchors import Agreement
from xstitch.spaces.vecmap import normalise, orthogonal_map

LOG = logging.getLogger("xstitch")
FEWEST = 50  # anchors; a map fitted on fewer says nothing
# Share of agreeing pairs below which we warn; even k = 1 confirms a third of a good lexicon on real vectors.
SUSPICIOUS = 0.1


def confirmed(
    anchors: Sequence[Anchor], source: np.ndarray, target: np.ndarray, settings: Agreement
) -> list[Anchor]:
    """Keep the anchors that a map fitted on the others confirms; dimensions of the two sides may differ."""
    if len(anchors) < FEWEST:
        raise InputError(
            f"anchors: agreement needs at least {FEWEST} pairs, not {len(anchors)}: leave it out"
        )
    rows = np.array([(anchor.source_row, anchor.target_row) for anchor in anchors])
    # A word that occurs in several pairs is one candidate.
    (x, left), (z, right) = (_words(side, rows[:, i]) for i, side in enumerate((source, target)))
    pairs = np.stack([left, right], axis=1)
    number = min(settings.folds, len(pairs))
    folds = np.random.default_rng(settings.seed).permutation(len(pairs)) % number
    agree = np.zeros(len(pairs), dtype=bool)
    for fold in progress(range(number), "confirm anchors", unit="fold"):
        held_out = folds == fold
        agree[held_out] = _mutual(x @ orthogonal_map(x, z, pairs[~held_out]), z, pairs[held_out], settings)
    if not agree.any():
        raise InputError(f"anchors: agreement confirms none of {len(anchors)} pairs: raise k or leave it out")
    LOG.info("%d of %d anchors agree with the others", agree.sum(), len(agree))
    if agree.mean() < SUSPICIOUS:
        LOG.warning("anchors: so few agree that it may be chance; no map joins these two spaces well")
    return [anchor for anchor, agrees in zip(anchors, agree, strict=True) if agrees]


def _words(matrix: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normalise the vectors of the distinct rows; return each row's position among them, too."""
    distinct, positions = np.unique(rows, return_inverse=True)
    return normalise(matrix[distinct]), positions


def _mutual(x: np.ndarray, z: np.ndarray, pairs: np.ndarray, settings: Agreement) -> np.ndarray:
    """Say which pairs are among each other's k nearest by CSLS."""
    left, right = unit(to_device(x)), unit(to_device(z))
    forth, back = mutual_nearest(left, right, settings.csls_k)
    left, right = with_csls(left, right, forth.values.mean(dim=1), back.values.mean(dim=1))
    ours, theirs = (torch.from_numpy(pairs[:, i]).to(left.device) for i in range(2))
    mutual = (nearest(left[ours], right, settings.k).indices == theirs[:, None]).any(dim=1)
    mutual &= (nearest(right[theirs], left, settings.k).indices == ours[:, None]).any(dim=1)
    return mutual.cpu().numpy()
