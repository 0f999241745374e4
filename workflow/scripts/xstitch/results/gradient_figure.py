"""Cosines of gradients as a figure: a panel for each language, a line with its interval for each loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt

from xstitch.results.curve_figure import HEIGHT, WIDTH
from xstitch.results.figures import STEPS, STYLE, look
from xstitch.results.gradients import ALL, TASK, Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = {"wordot": "WordOT", "dcca": "DCCA", "critic": "critic (IWDA)"}
OWN = {"color": "black", "linestyle": "--"}


def draw_gradients(points: Sequence[Point], title: str) -> Figure:
    """Draw the cosine of every loss's gradient with the task's, over all layers, against updates.

    The dashed line is how alike two draws of the task's own gradient are: a measure of noise, not a bound.
    """
    shown = [point for point in points if point.layer == ALL]
    own = [point for point in shown if point.loss == TASK]
    languages = list(dict.fromkeys(point.target for point in shown if point.loss != TASK))
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(
            1, len(languages), figsize=(max(6.5, WIDTH * len(languages)), HEIGHT), sharey=True, squeeze=False
        )
        figure.suptitle(title)
        for language, panel in zip(languages, panels[0], strict=True):
            panel.axhline(0, color="black", linewidth=0.8)
            _draw_line(panel, own, "task, other batches", OWN)
            for number, (loss, label) in enumerate(LABELS.items()):
                line = [point for point in shown if (point.loss, point.target) == (loss, language)]
                _draw_line(panel, line, label, look(number))
            panel.set_title(language, loc="left")
            panel.set_xlabel(STEPS)
        panels[0][0].set_ylabel("cosine with the task's gradient")
        handles, names = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=len(names))
    return figure


def _draw_line(panel: Axes, points: Sequence[Point], label: str, style: dict[str, str]) -> None:
    updates = [point.update for point in points]
    panel.plot(updates, [point.cosine for point in points], markersize=4, label=label, **style)
    if bounded := [point for point in points if point.low is not None]:
        ends = [point.low for point in bounded], [point.high for point in bounded]
        updates = [point.update for point in bounded]
        panel.fill_between(updates, *ends, color=style["color"], alpha=0.12, linewidth=0)
