"""Between which numbers a score lies, and intervals that end there.

Student's interval of a few chains knows no bounds: around a macro-F1 of .27 it may begin at -.13. Cut off at
0, it would still be lopsided, since a score near a bound strays farther from it than towards it. So the ends
of a score's interval are computed on the logit scale, to which distances from the score are carried over by
the derivative of the logit, 1 / (p (1 - p)). Ends near the score stay where they were, none reaches a bound,
and the truth is contained more often than in cut intervals (a test simulates both). For numbers from -1 to 1
this is Fisher's transformation.

Differences are tested for being 0 on their own scale: their intervals are cut off at their bounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scipy.special import expit, logit


@dataclass(frozen=True)
class Range:
    """The lowest and the highest number that a score, or a difference of two scores, can be."""

    low: float
    high: float
    difference: bool = False

    def times(self, factor: float) -> Range:
        """Return the range of multiples, such as percent."""
        return Range(factor * self.low, factor * self.high, self.difference)

    def of_differences(self) -> Range:
        """Return the range of a difference of two numbers of this range."""
        width = self.high - self.low
        return Range(-width, width, True)

    def ends(self, value: float, low: float, high: float) -> tuple[float, float]:
        """Return the ends of an interval of a value, within the range."""
        if self.difference or not self.low < value < self.high:
            return max(self.low, low), min(self.high, high)
        width = self.high - self.low
        share = (value - self.low) / width
        slope = 1 / (share * (1 - share) * width)
        return tuple(
            self.low + width * float(expit(logit(share) + slope * (end - value))) for end in (low, high)
        )


UNIT, CORRELATION = Range(0.0, 1.0), Range(-1.0, 1.0)
RANGES = {
    **dict.fromkeys(("macro_f1", "weighted_f1", "f1", "accuracy", "exact_match"), UNIT),
    **dict.fromkeys(("mrr", "jaccard", "nn_p1", "csls_p1"), UNIT),
    **dict.fromkeys(("cosine", "spearman"), CORRELATION),
}


def range_of(metrics: Iterable[str], whole: float = 1.0) -> Range | None:
    """Return the range of a metric, or of a mean of several; None if they have none, or not the same.

    `whole` is what 1 is written as: 100 for percent.
    """
    ranges = {RANGES.get(metric) for metric in metrics}
    only = ranges.pop() if len(ranges) == 1 else None
    return only.times(whole) if only else None
