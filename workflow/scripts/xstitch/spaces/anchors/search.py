"""Ways to get parallel anchors of two spaces, by the names that recipes use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from xstitch.core.files import load_npz
from xstitch.spaces.anchors.alternate import alternate_anchors
from xstitch.spaces.anchors.centroids import centroid_anchors
from xstitch.spaces.anchors.gromov import gromov_anchors
from xstitch.spaces.anchors.optimise import optimise_anchors
from xstitch.spaces.anchors.problem import (
    FoundAnchors,
    SeededSpaces,
    Unpaired,
    among_unpaired,
    pair_spaces,
)
from xstitch.spaces.settings.alignment import SelfLearning
from xstitch.spaces.settings.search import (
    AlternationSettings,
    CentroidSettings,
    GromovSettings,
    OptimisationSettings,
    SinkhornSettings,
)
from xstitch.vectors.table import Vectors, unit_rows

# Ways that need no known pairs; each takes the keys of its settings as they are.
UNTAUGHT = {"centroids": (centroid_anchors, CentroidSettings), "gromov": (gromov_anchors, GromovSettings)}


def find_anchors(spaces: SeededSpaces, settings: Mapping[str, Any], seed: int) -> FoundAnchors:
    """Search for the anchors of the target space, by the way that the settings name."""
    if settings["kind"] == "seeds":
        return FoundAnchors(unit_rows(spaces.seed_anchors), spaces.seeds, pa.table({}))
    if settings["kind"] in UNTAUGHT:
        search, cls = UNTAUGHT[settings["kind"]]
        keys = {field.name for field in fields(cls)}
        return search(spaces, cls(**{key: settings[key] for key in settings.keys() & keys}, seed=seed))
    if settings["kind"] == "optimise":
        sinkhorn = SinkhornSettings(**settings.get("sinkhorn", {}))
        sizes = settings["steps"], settings["learning_rate"]
        prepared = OptimisationSettings(*sizes, sinkhorn, settings.get("hold_seeds", True), seed)
        return optimise_anchors(spaces, prepared)
    start, learning = SinkhornSettings(**settings["start"]), SelfLearning(**settings["learning"])
    prepared = AlternationSettings(start, learning, settings["vocabulary"], settings["restarts"], seed)
    return alternate_anchors(spaces, prepared)


class ParallelAnchors(NamedTuple):
    """Two spaces and the target vectors of their anchors; None if a recipe compares without anchors."""

    spaces: SeededSpaces
    target: np.ndarray | None

    @property
    def source(self) -> np.ndarray:
        """The source vectors of the same anchors."""
        return self.spaces.source[self.spaces.anchors[: len(self.target)]]


def parallel_anchors(
    source: Vectors,
    target: Vectors,
    words: Sequence[str],
    settings: Mapping[str, Any],
    seed: int,
    search_file: str | Path | None = None,
    *,
    exchanged: bool = False,
    unpaired: Unpaired | None = None,
) -> ParallelAnchors:
    """Take shared words of two spaces and a recipe's anchors: read from the file of a search, or known.

    The search may have been among texts that are not paired.
    """
    sizes = settings["anchors"], settings["seeds"]
    spaces = pair_spaces(source, target, words, *sizes, seed, exchanged=exchanged)
    if not search_file:
        return ParallelAnchors(spaces, known_anchors(spaces, settings["kind"]))
    spaces = among_unpaired(spaces, unpaired, seed) if unpaired else spaces
    found = load_npz(search_file)
    return ParallelAnchors(
        spaces, spaces.target[found["rows"]] if settings["kind"] == "words" else found["vectors"]
    )


def known_anchors(spaces: SeededSpaces, kind: str) -> np.ndarray | None:
    """Return the target vectors of anchors that need no search: all of them, the seeds, or None."""
    known = {
        "given": lambda: spaces.true_anchors,
        "seeds": lambda: spaces.seed_anchors,
        "none": lambda: None,
    }
    return known[kind]()
