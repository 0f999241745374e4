"""A space and its rotated, permuted copy, optionally noisy or of another size and dimension."""

from __future__ import annotations

import numpy as np

from xstitch.spaces.anchors.problem import SeededSpaces, draw_anchors
from xstitch.spaces.anchors.retrieval import RetrievalScores, evaluate_pairs


def rotated_spaces(
    words: int = 300,
    width: int = 10,
    anchors: int = 30,
    seeds: int = 15,
    noise: float = 0.0,
    target_width: int | None = None,
    strangers: int = 0,
    seed: int = 0,
) -> SeededSpaces:
    """Draw a space and rotate it; `strangers` are target words that the source lacks."""
    random = np.random.default_rng(seed)
    # Axes with different spreads and skewed values, as in word vectors: neighbourhoods differ between words.
    spread = np.linspace(0.3, 2, width)
    source = random.gamma(1.0, size=(words, width)) * spread
    others = random.gamma(1.0, size=(strangers, width)) * spread
    rotated_width = target_width or width
    rotation = np.linalg.qr(random.normal(size=(rotated_width, rotated_width)))[0][:width]
    target = np.concatenate([source + noise * random.normal(size=source.shape), others]) @ rotation
    order = random.permutation(len(target))
    partners = np.argsort(order)[:words]
    chosen = draw_anchors(words, anchors, seed)
    return SeededSpaces(
        source.astype("f4"), target[order].astype("f4"), chosen, partners[chosen[:seeds]], partners
    )


def across(
    spaces: SeededSpaces, target_anchors: np.ndarray, compared: str = "target"
) -> tuple[RetrievalScores, RetrievalScores]:
    """Measure retrieval from source to target and back."""
    scores = evaluate_pairs(spaces, target_anchors, ("source", "target"), compared=compared)
    return scores["source", "target"], scores["target", "source"]
