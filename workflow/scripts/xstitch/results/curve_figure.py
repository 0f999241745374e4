"""Curves as a figure: a panel for each language, a line with its interval for each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt

from xstitch.results.curves import Point
from xstitch.results.figures import SCORE, STYLE, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AXES = {
    "pairs": "dictionary pairs",
    "known": "known pairs",
    "sentences": "sentences of text for word vectors",
    "labels": "labelled texts of the target language",
}
WIDTH, HEIGHT = 3.8, 3.6  # of a panel, in inches


def draw_curve(points: Sequence[Point], axis: str, title: str) -> Figure:
    """Draw macro-F1 against an amount; where 0 is an amount, the axis is linear up to the next one."""
    languages = list(dict.fromkeys(point.target for point in points))
    methods = list(dict.fromkeys(point.method for point in points))
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(
            1, len(languages), figsize=(max(6.5, WIDTH * len(languages)), HEIGHT), sharey=True, squeeze=False
        )
        figure.suptitle(title)
        for language, panel in zip(languages, panels[0], strict=True):
            here = [point for point in points if point.target == language]
            _set_scale(panel, sorted({point.x for point in here if point.x is not None}))
            for number, method in enumerate(methods):
                if chosen := [point for point in here if point.method == method]:
                    _draw_method(panel, chosen, method, number)
            panel.set_title(language, loc="left")
            panel.set_xlabel(AXES[axis])
        panels[0][0].set_ylabel(SCORE)
        handles = {
            name: handle
            for panel in panels[0]
            for handle, name in zip(*panel.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
    return figure


def _set_scale(panel: Axes, xs: Sequence[int]) -> None:
    if 0 in xs:
        panel.set_xscale("symlog", linthresh=min((x for x in xs if x), default=1))
    else:
        panel.set_xscale("log")
    panel.set_xticks(xs, [f"{x:,}" for x in xs], fontsize=7, rotation=45)
    panel.set_xticks([], minor=True)


def _draw_method(panel: Axes, points: Sequence[Point], method: str, number: int) -> None:
    style, bounds = look(number), [point.interval for point in points]
    if points[0].x is None:
        panel.axhline(bounds[0].value, color=style["color"], linestyle="--", label=method)
        panel.axhspan(bounds[0].low, bounds[0].high, color=style["color"], alpha=0.08, linewidth=0)
        return
    drawn = sorted(zip([point.x for point in points], bounds, strict=True), key=lambda pair: pair[0])
    xs = [x for x, _ in drawn]
    panel.plot(xs, [one.value for _, one in drawn], markersize=4, label=method, **style)
    lows, highs = [one.low for _, one in drawn], [one.high for _, one in drawn]
    panel.fill_between(xs, lows, highs, color=style["color"], alpha=0.12, linewidth=0)
