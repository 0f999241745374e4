"""Figures as SVG: colours that colour-blind readers tell apart, one for each language wherever it appears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt

from xstitch.core.files import whole_file

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette without black and its pale yellow, which a white page swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "xstitch",  # equal runs write equal files
    "figure.constrained_layout.use": True,
}
SCORE = "macro-F1"
FEATURE_SHIFT = "conditional feature shift (l1, mean over classes)"
LAYER = "layer (0: embeddings)"
PRIOR_SHIFT = "class prior shift (total variation)"
STEPS = "update steps"
# Panels of an alignment's log: what the axis says; a column or, ending in _, how the classes' columns begin.
LOGGED = (
    ("loss on the source's labels", "source_loss"),
    ("critic's loss", "critic_loss"),
    ("gradient norm of the critic", "gradient_norm"),
    ("weights of classes", "weight_"),
    ("estimated class priors of the target", "prior_"),
    ("feature shift (l1, by predicted classes)", "feature_shift"),
)


def look(place: int) -> dict[str, str]:
    """Colour and marker of the language or method at some place of its list: 7 differ in both, 56 in one."""
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)]}


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG, without a date."""
    with whole_file(path) as partial, plt.rc_context(STYLE):
        figure.savefig(partial, format="svg", metadata={"Date": None})
    plt.close(figure)


def draw_factors(
    points: pd.DataFrame,
    places: Mapping[str, int],
    texts: Mapping[str, str],
    curves: pd.DataFrame | None = None,
    prior: bool = True,
) -> Figure:
    """Performance against feature shift; below, against prior shift or shifts layer by layer; against both.

    `points` has target, feature_shift, prior_shift and macro_f1, one row a sample; `curves` has sample and
    layer as well. Without `prior` there is no panel of both. `texts` are title and the panels' lines.
    """
    lower = "prior" if curves is None else "layers"
    mosaic = [["feature", "joint"], [lower, "joint"]] if prior else [["feature"], [lower]]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplot_mosaic(
            mosaic, figsize=(10.5, 6.2) if prior else (5.5, 6.2), width_ratios=[1, 1.25] if prior else None
        )
        figure.suptitle(texts["title"])
        _scatter(axes["feature"], points, places, "feature_shift", FEATURE_SHIFT)
        _mark_means(axes["feature"], points, places)
        axes["feature"].set_title(texts["feature"], fontsize=8, loc="left")
        if curves is None:
            _scatter(axes["prior"], points, places, "prior_shift", PRIOR_SHIFT)
            axes["prior"].set_title(texts["prior"], fontsize=8, loc="left")
        else:
            _draw_curves(axes["layers"], curves, places)
            axes["layers"].set_xlabel(LAYER)
            axes["layers"].set_ylabel("conditional feature shift (l1)")
        if prior:
            _draw_joint(figure, axes["joint"], points, places)
        _add_legend(figure, axes["feature"], "target language")
    return figure


def _add_legend(figure: Figure, panel: Axes, title: str | None = None) -> None:
    """Put one legend of a panel's entries below the whole figure."""
    handles, names = panel.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(12, len(names)), title=title)


def draw_joint(
    points: Sequence[pd.DataFrame], places: Mapping[str, int], titles: Sequence[str], title: str
) -> Figure:
    """Performance against both shifts, one panel a task."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(points), figsize=(6 * len(points), 4.8), squeeze=False)
        figure.suptitle(title)
        for own, panel, name in zip(points, axes[0], titles, strict=True):
            _draw_joint(figure, panel, own, places)
            panel.set_title(name, loc="left")
            panel.legend(title="target language", fontsize=7)
    return figure


def _scatter(panel: Axes, points: pd.DataFrame, places: Mapping[str, int], column: str, label: str) -> None:
    for target, own in points.groupby("target", sort=False):
        panel.scatter(
            own[column], own["macro_f1"], s=16, alpha=0.7, linewidths=0, label=target, **look(places[target])
        )
    panel.set_xlabel(label)
    panel.set_ylabel(SCORE)


def _mark_means(panel: Axes, points: pd.DataFrame, places: Mapping[str, int]) -> None:
    """Write each language's name at the mean of its points."""
    panel.margins(0.12)  # names stand to the right of their points
    for target, own in points.groupby("target", sort=False):
        place = own["feature_shift"].mean(), own["macro_f1"].mean()
        panel.plot(*place, markersize=9, markeredgecolor="black", linestyle="none", **look(places[target]))
        panel.annotate(target, place, textcoords="offset points", xytext=(7, 5), fontweight="bold")


def _draw_joint(figure: Figure, panel: Axes, points: pd.DataFrame, places: Mapping[str, int]) -> None:
    """Both shifts as axes, performance as colour, languages as markers in their colour's edge."""
    low, high = points["macro_f1"].min(), points["macro_f1"].max()
    for target, own in points.groupby("target", sort=False):
        own_look = look(places[target])
        drawn = panel.scatter(
            own["feature_shift"],
            own["prior_shift"],
            c=own["macro_f1"],
            cmap="viridis",
            vmin=low,
            vmax=high,
            s=34,
            marker=own_look["marker"],
            edgecolors=own_look["color"],
            linewidths=1.2,
            label=target,
        )
    panel.set_xlabel(FEATURE_SHIFT)
    panel.set_ylabel(PRIOR_SHIFT)
    figure.colorbar(drawn, ax=panel, label=SCORE)


def draw_layers(
    curves: pd.DataFrame,
    places: Mapping[str, int],
    settings: Sequence[str],
    poolings: Mapping[str, str],
    title: str,
) -> Figure:
    """Feature shift at every layer: a column a learning setting, a row a pooling, a curve a sample.

    `curves` has method, pooling, target, sample, layer, feature_shift and macro_f1.
    """
    with plt.rc_context(STYLE):
        shape = len(poolings), len(settings)
        figure, axes = plt.subplots(
            *shape, figsize=(4.6 * shape[1], 3.2 * shape[0]), squeeze=False, sharex=True
        )
        figure.suptitle(title)
        for row, (pooling, name) in enumerate(poolings.items()):
            for column, setting in enumerate(settings):
                own = curves[(curves["method"] == setting) & (curves["pooling"] == pooling)]
                _draw_curves(axes[row][column], own, places)
                score = own.drop_duplicates(["target", "sample"])["macro_f1"].mean()
                axes[row][column].set_title(
                    f"{setting}, {name} ({SCORE} {score:.2f})", fontsize=9, loc="left"
                )
                axes[row][column].set_ylabel("conditional feature shift (l1)")
            limit = max(panel.get_ylim()[1] for panel in axes[row])
            for panel in axes[row]:
                panel.set_ylim(0, limit)
        for panel in axes[-1]:
            panel.set_xlabel(LAYER)
        _add_legend(figure, axes[0][0], "target language")
    return figure


def _draw_curves(panel: Axes, curves: pd.DataFrame, places: Mapping[str, int]) -> None:
    for target, own in curves.groupby("target", sort=False):
        colour = look(places[target])
        for _, curve in own.groupby("sample", sort=False):
            panel.plot(
                curve["layer"], curve["feature_shift"], color=colour["color"], alpha=0.15, linewidth=0.8
            )
        mean = own.groupby("layer")["feature_shift"].mean()
        panel.plot(mean.index, mean.to_numpy(), linewidth=2, markersize=5, label=target, **colour)
    panel.set_xticks(sorted(curves["layer"].unique()))


def draw_improvements(
    panels: Sequence[tuple[str, pd.DataFrame]], methods: Mapping[str, int], title: str
) -> Figure:
    """Improvement over zero-shot against prior shift: a panel a language pair, a line a method.

    Tables have method, prior_shift and improvement (percent). Methods have colours by their place.
    """
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(6 * len(panels), 4.8), squeeze=False)
        figure.suptitle(title)
        for panel, (name, table) in zip(axes[0], panels, strict=True):
            panel.axhline(0, color="black", linewidth=1)
            panel.annotate(
                "zero-shot", (1.01, 0), xycoords=("axes fraction", "data"), va="center", fontsize=8
            )
            for method, place in methods.items():
                own = table[table["method"] == method]
                if own.empty:
                    continue
                means = (
                    own.groupby("set")[["prior_shift", "improvement"]]
                    .mean()
                    .sort_values("prior_shift", kind="stable")
                )
                panel.scatter(own["prior_shift"], own["improvement"], s=10, alpha=0.4, **look(place))
                panel.plot(*means.to_numpy().T, linewidth=1.8, markersize=5, label=method, **look(place))
            panel.set_title(name, loc="left")
            panel.set_xlabel(PRIOR_SHIFT)
            panel.set_ylabel(f"improvement of {SCORE} over zero-shot (%)")
        _add_legend(figure, axes[0][0])
    return figure


def draw_steps(table: pd.DataFrame, title: str, methods: Mapping[str, int]) -> Figure:
    """Performance over the updates of runs: a line a method (mean of its seeds), a faint one a seed.

    `table` has method, seed, step and macro_f1; step 0 is the model before.
    """
    with plt.rc_context(STYLE):
        figure, panel = plt.subplots(figsize=(7.5, 4.5))
        figure.suptitle(title)
        for method, place in methods.items():
            own = table[table["method"] == method]
            for _, run in own.groupby("seed"):
                panel.plot(run["step"], run["macro_f1"], color=look(place)["color"], alpha=0.3, linewidth=0.8)
            mean = own.groupby("step")["macro_f1"].mean()
            panel.plot(mean.index, mean.to_numpy(), linewidth=2, markersize=4, label=method, **look(place))
        panel.set_xlabel(STEPS)
        panel.set_ylabel(SCORE)
        panel.legend()
    return figure


def draw_log(log: pd.DataFrame, title: str) -> Figure:
    """What an alignment logged at every step: losses, gradient norm, weights, priors and feature shift."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(2, 3, figsize=(12, 6.4), sharex=True)
        figure.suptitle(title)
        for panel, (label, name) in zip(axes.flat, LOGGED, strict=True):
            by_class = name.endswith("_")
            columns = [column for column in log if column.startswith(name)] if by_class else [name]
            for place, column in enumerate(columns):
                shown = look(place) if by_class else {"color": COLOURS[0]}
                shown["label"] = column.removeprefix(name)
                panel.plot(log["step"], log[column], linewidth=1.2, markersize=4, markevery=0.1, **shown)
            panel.set_ylabel(label)
        for panel in axes[-1]:
            panel.set_xlabel(STEPS)
        _add_legend(figure, axes[1][0], "class")
    return figure
