"""Label shares that differ between languages: prior shift by construction."""

from __future__ import annotations

from xstitch.sources.world.settings import WorldSettings

PARTS = 1000  # a language's skew counts in thousandths


def label_weights(settings: WorldSettings, code: str, count: int) -> list[int]:
    """Return how often each of `count` labels occurs in a language, as whole-number weights.

    Each label is rarer than the one before by the language's `label_skew`; which comes first goes round with
    the languages, so that two skewed ones differ from each other, too.
    """
    first = list(settings.languages).index(code)
    kept = PARTS - round(PARTS * settings.languages[code].label_skew)
    ranks = [(label - first) % count for label in range(count)]
    return [kept**rank * PARTS ** (count - 1 - rank) for rank in ranks]
