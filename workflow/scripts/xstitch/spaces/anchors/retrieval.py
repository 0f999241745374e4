"""Retrieval of words across spaces by their cosines to parallel anchors (bootstrap, Tables 1, 4, 5 and 7).

For a word with the relative vectors x in the source and y in the target: Jaccard compares the k nearest
target words of x with the k nearest target words of y (`target`, as the program of relreps does, whose
measures the paper uses) or with the k nearest source words of x (`source`, as both papers word it), as sets,
the word itself included; MRR is the reciprocal rank of y among the k nearest target words of x, 0 beyond
them; cosine compares x and y.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
import torch

from xstitch.core.errors import InputError
from xstitch.spaces.anchors.problem import UNKNOWN, SeededSpaces
from xstitch.spaces.best import Top
from xstitch.spaces.neighbours import nearest, to_device, unit

K = 10
Compared = Literal["target", "source"]


@dataclass(frozen=True)
class RetrievalScores:
    """Means over the words that have a partner."""

    jaccard: float
    mrr: float
    cosine: float
    words: int

    def metrics(self) -> dict[str, float]:
        """Return the measures by name, without the number of words."""
        return {name: value for name, value in asdict(self).items() if name != "words"}


def evaluate_pairs(
    spaces: SeededSpaces,
    target_anchors: np.ndarray | None,
    names: tuple[str, str],
    k: int = K,
    compared: Compared = "target",
) -> dict[tuple[str, str], RetrievalScores]:
    """Measure within each of two named spaces and across them; keys are (source, target).

    Without anchors, the vectors themselves are compared, which only works within a space.
    """
    source, target = names
    if target_anchors is None:
        left, right = unit(to_device(spaces.source)), unit(to_device(spaces.target))
    else:
        left = relative_rows(spaces.source, spaces.source[spaces.anchors[: len(target_anchors)]])
        right = relative_rows(spaces.target, target_anchors)
    scores = {
        (source, source): retrieve(left, left, np.arange(len(left)), k, compared),
        (target, target): retrieve(right, right, np.arange(len(right)), k, compared),
    }
    if target_anchors is not None:
        if spaces.partners is None:
            raise InputError("retrieval across spaces can only be measured if the words' partners are known")
        scores[source, target] = retrieve(left, right, spaces.partners, k, compared)
        scores[target, source] = retrieve(right, left, spaces.sources, k, compared)
    return scores


def relative_rows(rows: np.ndarray, anchors: np.ndarray) -> torch.Tensor:
    """Represent rows by their cosines to anchors, as unit rows.

    In double precision: these rows can be so similar that single precision confuses words.
    """
    return unit(unit(to_device(rows).double()) @ unit(to_device(anchors).double()).T)


def retrieve(
    source: torch.Tensor,
    target: torch.Tensor,
    partners: np.ndarray,
    k: int = K,
    compared: Compared = "target",
) -> RetrievalScores:
    """Measure unit rows; `partners` has the target row of each source row, or UNKNOWN.

    A source word without a partner is not queried, but may be a neighbour. `compared` says what Jaccard
    compares the nearest target words of a word with: those of its partner, or its nearest source words.
    """
    known = torch.from_numpy(np.flatnonzero(partners != UNKNOWN)).to(source.device)
    if not len(known):
        raise InputError("no word of the two spaces has a known partner")
    partner = torch.from_numpy(partners).to(source.device)
    queries, wanted = source[known], partner[known]
    found = nearest(queries, target, k)
    if compared == "target":
        expected = nearest(target[wanted], target, k).indices
    else:
        expected = partner[nearest(queries, source, k).indices]
    return RetrievalScores(
        jaccard=_mean(jaccard(expected, found.indices)),
        mrr=_mean(reciprocal_ranks(found, wanted)),
        cosine=_mean((queries * target[wanted]).sum(dim=1)),
        words=len(known),
    )


def jaccard(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Compare two sets per row, each of distinct numbers; UNKNOWN, only in the first, matches nothing."""
    shared = (first[:, :, None] == second[:, None, :]).sum(dim=(1, 2))
    return shared / (first.shape[1] + second.shape[1] - shared)


def reciprocal_ranks(top: Top, wanted: torch.Tensor) -> torch.Tensor:
    """Compute 1 / rank of the wanted index in each row, 0 where it is missing."""
    ranks = torch.arange(1, top.indices.shape[1] + 1, device=wanted.device)
    return ((top.indices == wanted[:, None]) / ranks).sum(dim=1)


def _mean(values: torch.Tensor) -> float:
    return float(values.double().mean())
