"""What more of a language's dictionary, text or labels would bring, read from measured curves.

A table of curves has the columns curve, language, scale, x, method, macro_f1 and others that are not read
here. x counts anchors (curve pairs), sentences (text) or labelled texts (labels). Only methods that stitch
are read, and no level lines, which have no x.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from xstitch.core.errors import InputError
from xstitch.core.tsv import read_records

NEEDED = ("curve", "language", "scale", "x", "method", "macro_f1")
STITCHED = "stitched"  # how the names of methods that stitch begin
MORE = 2.0  # times what a language has
LABELS = 50.0  # instead of none
UNITS = {"pairs": "anchors from the dictionary", "text": "sentences of text", "labels": "labelled texts"}
Points = list[tuple[float, float]]


class Curve(NamedTuple):
    """The macro-F1 of a method in a language, by how much there is of something."""

    name: str
    language: str
    method: str
    points: Points  # by increasing x


class Gain(NamedTuple):
    """What more of something brought elsewhere, on average over curves."""

    name: str
    before: float
    after: float
    mean: float
    least: float
    most: float
    curves: int

    @property
    def unit(self) -> str:
        """What there is more of, in words."""
        return UNITS[self.name]


def read_curves(paths: Iterable[str | Path]) -> list[Curve]:
    """Read all curves of some tables."""
    found: dict[tuple[str, str, str, str], dict[float, float]] = defaultdict(dict)
    for path in paths:
        for number, row in enumerate(read_records(path), start=2):
            try:
                name, language, scale, x, method, value = (row[column] for column in NEEDED)
                if x and method.startswith(STITCHED):
                    found[name, language, scale, method][float(x)] = float(value)
            except (KeyError, ValueError) as problem:
                columns = ", ".join(NEEDED)
                raise InputError(
                    f"{path}:{number}: not a point of a curve ({columns}); restore it"
                ) from problem
    return [
        Curve(name, language, method, sorted(points.items()))
        for (name, language, _, method), points in found.items()
    ]


def gains(curves: Sequence[Curve], own: Mapping[str, float], language: str = "") -> list[Gain]:
    """What each curve says of more of it, the largest gain first; `own` is what the language has, by curve.

    Only curves that reach from what it has to what it would have count, and none of the language itself.
    """
    found = []
    for name, before in own.items():
        after = LABELS if name == "labels" else before * MORE
        differences = [
            height(curve.points, after) - height(curve.points, before)
            for curve in curves
            if curve.name == name and curve.language != language and _reaches(curve.points, before, after)
        ]
        if differences:
            parts = fmean(differences), min(differences), max(differences)
            found.append(Gain(name, before, after, *parts, len(differences)))
    return sorted(found, key=lambda gain: -gain.mean)


def _reaches(points: Points, before: float, after: float) -> bool:
    return points[0][0] <= before and after <= points[-1][0]


def height(points: Points, x: float) -> float:
    """The height of a curve between its points, along the logarithm of one more than x."""
    for (left, low), (right, high) in pairwise(points):
        if left <= x <= right:
            part = (math.log1p(x) - math.log1p(left)) / (math.log1p(right) - math.log1p(left))
            return low + part * (high - low)
    return points[0][1] if x < points[0][0] else points[-1][1]
