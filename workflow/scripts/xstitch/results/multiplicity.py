"""Tests of several hypotheses at once: the more differences one looks at, the larger some are by chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from scipy.special import ndtr, stdtr, stdtrit  # scipy.stats takes half a second to load, in every plan

from xstitch.results.freedom import freedom_of

LEVEL = 0.05
MIDDLE = (25, 75)  # percentiles
NO_DIFFERENCE = "no difference shown"


def p_value(
    resampled: np.ndarray, chains: int = 1, seeds: Iterable[int] = (), most: float = math.inf
) -> float:
    """Return the two-sided p-value of a difference being 0, from the difference and its resamples.

    By the normal distribution: after a correction for forty comparisons, the tails that matter are too thin
    to be counted in two thousand resamples. By Student's where few seeds tell the spread, with the degrees of
    freedom that `xstitch.results.freedom` finds, and if there are several chains, as in
    `xstitch.results.resampling`; two draws of it have no standard deviation, so that the middle half of the
    resamples tells its scale. A difference that does not vary has the p-value 0, or 1 if it is 0.
    """
    if chains == 1:
        freedom, scale = freedom_of(resampled, chains, seeds, most), resampled[1:].std(ddof=1)
        below = partial(stdtr, freedom) if math.isfinite(freedom) else ndtr
    else:
        below = partial(stdtr, chains - 1)
        low, high = np.percentile(resampled[1:], MIDDLE)
        scale = (high - low) / (2 * stdtrit(chains - 1, MIDDLE[1] / 100))
    if scale == 0:
        return float(resampled[0] == 0)
    return float(2 * below(-abs(resampled[0]) / scale))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's step-down method: what is below the level may be believed.

    The smallest is multiplied by their number, the second by one less, and so on; none becomes smaller than
    one before it.
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(np.argsort(p_values, kind="stable")):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def shown_difference(difference: float, adjusted: float) -> str:
    """Say what a difference shows at an adjusted p-value."""
    if adjusted >= LEVEL:
        return NO_DIFFERENCE
    return "above" if difference > 0 else "below"
