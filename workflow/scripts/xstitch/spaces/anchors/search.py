"""Ways to parallel anchors of two spaces, by the names that recipes call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from xstitch.spaces.anchors.alternate import AlternationSettings, alternate_anchors
from xstitch.spaces.anchors.optimise import FoundAnchors, OptimisationSettings, SeededSpaces, optimise_anchors
from xstitch.spaces.anchors.sinkhorn import SinkhornSettings
from xstitch.spaces.self_learning import SelfLearning


def find_anchors(spaces: SeededSpaces, settings: Mapping[str, Any], seed: int) -> FoundAnchors:
    """Search for the anchors of the target space: by the paper's Algorithm 1, or by alternation."""
    if settings["way"] == "optimise":
        sinkhorn = SinkhornSettings(**settings.get("sinkhorn", {}))
        plan = OptimisationSettings(settings["steps"], settings["learning_rate"], sinkhorn, seed)
        return optimise_anchors(spaces, plan)
    start, learning = SinkhornSettings(**settings["start"]), SelfLearning(**settings["learning"])
    plan = AlternationSettings(start, learning, settings["vocabulary"], settings["restarts"], seed)
    return alternate_anchors(spaces, plan)


def known_anchors(spaces: SeededSpaces, way: str) -> np.ndarray:
    """The target vectors of anchors that need no search: of all of them, or of the seeds."""
    return {"given": lambda: spaces.true_anchors, "seeds": lambda: spaces.seed_anchors}[way]()
