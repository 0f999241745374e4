"""Label shares that differ between languages: prior shift by construction."""

from __future__ import annotations

from xstitch.sources.world.settings import WorldSettings

PARTS = 1000  # a language's skew is rounded to thousandths


def label_weights(settings: WorldSettings, code: str, count: int) -> list[int]:
    """Return how often each of `count` labels occurs in a language, as integer weights.

    Each label is rarer than the previous one by the language's `label_skew`; each language starts with a
    different label, so that skewed languages also differ from each other.
    """
    first = list(settings.languages).index(code)
    ratio = PARTS - round(PARTS * settings.languages[code].label_skew)
    ranks = [(label - first) % count for label in range(count)]
    return [ratio**rank * PARTS ** (count - 1 - rank) for rank in ranks]
