"""Label shares that differ between languages: prior shift by construction."""

from __future__ import annotations

import numpy as np

from xstitch.world.settings import WorldSettings


def label_shares(settings: WorldSettings, code: str, count: int) -> np.ndarray:
    """Return how often each of `count` labels occurs in a language.

    Each label is rarer than the one before by the language's `label_skew`; which comes first goes round with
    the languages, so that two skewed ones differ from each other, too.
    """
    rank = (np.arange(count) - list(settings.languages).index(code)) % count
    weights = (1.0 - settings.languages[code].label_skew) ** rank
    return weights / weights.sum()
