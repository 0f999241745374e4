"""Figures as SVG, in colours for colour-blind readers; a language has the same colour in all figures."""

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

# Okabe and Ito's palette without black and without its yellow, which is too pale on white.
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
    "svg.hashsalt": "xstitch",  # the same numbers give the same file
    "figure.constrained_layout.use": True,
}
SCORE = "macro-F1"
FEATURE_SHIFT = "conditional feature shift (l1, mean over classes)"
LAYER = "layer (0: embeddings)"
PRIOR_SHIFT = "class prior shift (total variation)"
STEPS = "update steps"
# Panels of an alignment's log: the axis label, and a column or, ending in _, the prefix of one per class.
LOGGED = (
    ("loss on the source's labels", "source_loss"),
    ("critic's loss", "critic_loss"),
    ("gradient norm of the critic", "gradient_norm"),
    ("class weights", "weight_"),
    ("estimated class priors of the target", "prior_"),
    ("feature shift (l1, by predicted classes)", "feature_shift"),
)


def look(index: int) -> dict[str, str]:
    """Return the colour and marker for an index: 7 in a row differ in both, 56 in at least one."""
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG, without a date."""
    with whole_file(path) as partial, plt.rc_context(STYLE):
        figure.savefig(partial, format="svg", metadata={"Date": None})
    plt.close(figure)


def draw_factors(
    points: pd.DataFrame,
    order: Mapping[str, int],
    texts: Mapping[str, str],
    curves: pd.DataFrame | None = None,
    prior: bool = True,
) -> Figure:
    """Draw performance against feature shift, against prior shift (or shifts by layer), and against both.

    `points` has target, feature_shift, prior_shift and macro_f1, one row per sample; `curves` also has sample
    and layer. Without `prior` there is no panel of both shifts. `texts` has the title and a line per panel.
    """
    lower = "prior" if curves is None else "layers"
    mosaic = [["feature", "joint"], [lower, "joint"]] if prior else [["feature"], [lower]]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplot_mosaic(
            mosaic, figsize=(10.5, 6.2) if prior else (5.5, 6.2), width_ratios=[1, 1.25] if prior else None
        )
        figure.suptitle(texts["title"])
        _scatter(axes["feature"], points, order, "feature_shift", FEATURE_SHIFT)
        _mark_means(axes["feature"], points, order)
        axes["feature"].set_title(texts["feature"], fontsize=8, loc="left")
        if curves is None:
            _scatter(axes["prior"], points, order, "prior_shift", PRIOR_SHIFT)
            axes["prior"].set_title(texts["prior"], fontsize=8, loc="left")
        else:
            _draw_curves(axes["layers"], curves, order)
            axes["layers"].set_xlabel(LAYER)
            axes["layers"].set_ylabel("conditional feature shift (l1)")
        if prior:
            _draw_joint(figure, axes["joint"], points, order)
        _add_legend(figure, axes["feature"], "target language")
    return figure


def _add_legend(figure: Figure, panel: Axes, title: str | None = None) -> None:
    """Put a legend with a panel's entries below the whole figure."""
    handles, names = panel.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(12, len(names)), title=title)


def draw_joint(
    points: Sequence[pd.DataFrame], order: Mapping[str, int], titles: Sequence[str], title: str
) -> Figure:
    """Draw performance against both shifts, one panel per task."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(points), figsize=(6 * len(points), 4.8), squeeze=False)
        figure.suptitle(title)
        for part, panel, name in zip(points, axes[0], titles, strict=True):
            _draw_joint(figure, panel, part, order)
            panel.set_title(name, loc="left")
            panel.legend(title="target language", fontsize=7)
    return figure


def _scatter(panel: Axes, points: pd.DataFrame, order: Mapping[str, int], column: str, label: str) -> None:
    for target, rows in points.groupby("target", sort=False):
        panel.scatter(
            rows[column], rows["macro_f1"], s=16, alpha=0.7, linewidths=0, label=target, **look(order[target])
        )
    panel.set_xlabel(label)
    panel.set_ylabel(SCORE)


def _mark_means(panel: Axes, points: pd.DataFrame, order: Mapping[str, int]) -> None:
    """Write each language's name at the mean of its points."""
    panel.margins(0.12)  # room for the names to the right of their points
    for target, rows in points.groupby("target", sort=False):
        mean = rows["feature_shift"].mean(), rows["macro_f1"].mean()
        panel.plot(*mean, markersize=9, markeredgecolor="black", linestyle="none", **look(order[target]))
        panel.annotate(target, mean, textcoords="offset points", xytext=(7, 5), fontweight="bold")


def _draw_joint(figure: Figure, panel: Axes, points: pd.DataFrame, order: Mapping[str, int]) -> None:
    """Draw both shifts as axes, performance as colour, and languages as markers with a coloured edge."""
    low, high = points["macro_f1"].min(), points["macro_f1"].max()
    for target, rows in points.groupby("target", sort=False):
        language_look = look(order[target])
        drawn = panel.scatter(
            rows["feature_shift"],
            rows["prior_shift"],
            c=rows["macro_f1"],
            cmap="viridis",
            vmin=low,
            vmax=high,
            s=34,
            marker=language_look["marker"],
            edgecolors=language_look["color"],
            linewidths=1.2,
            label=target,
        )
    panel.set_xlabel(FEATURE_SHIFT)
    panel.set_ylabel(PRIOR_SHIFT)
    figure.colorbar(drawn, ax=panel, label=SCORE)


def draw_layers(
    curves: pd.DataFrame,
    order: Mapping[str, int],
    settings: Sequence[str],
    poolings: Mapping[str, str],
    title: str,
) -> Figure:
    """Draw feature shift at every layer: a column per setting, a row per pooling, a curve per sample.

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
                part = curves[(curves["method"] == setting) & (curves["pooling"] == pooling)]
                _draw_curves(axes[row][column], part, order)
                score = part.drop_duplicates(["target", "sample"])["macro_f1"].mean()
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


def _draw_curves(panel: Axes, curves: pd.DataFrame, order: Mapping[str, int]) -> None:
    for target, rows in curves.groupby("target", sort=False):
        language_look = look(order[target])
        colour = language_look["color"]
        for _, curve in rows.groupby("sample", sort=False):
            panel.plot(curve["layer"], curve["feature_shift"], color=colour, alpha=0.15, linewidth=0.8)
        mean = rows.groupby("layer")["feature_shift"].mean()
        panel.plot(mean.index, mean.to_numpy(), linewidth=2, markersize=5, label=target, **language_look)
    panel.set_xticks(sorted(curves["layer"].unique()))


def draw_improvements(
    panels: Sequence[tuple[str, pd.DataFrame]], methods: Mapping[str, int], title: str
) -> Figure:
    """Draw improvement over zero-shot against prior shift: a panel per language pair, a line per method.

    Tables have set, method, prior_shift and improvement (percent). `methods` numbers the methods' colours.
    """
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(6 * len(panels), 4.8), squeeze=False)
        figure.suptitle(title)
        for panel, (name, table) in zip(axes[0], panels, strict=True):
            panel.axhline(0, color="black", linewidth=1)
            panel.annotate(
                "zero-shot", (1.01, 0), xycoords=("axes fraction", "data"), va="center", fontsize=8
            )
            for method, index in methods.items():
                rows = table[table["method"] == method]
                if rows.empty:
                    continue
                means = (
                    rows.groupby("set")[["prior_shift", "improvement"]]
                    .mean()
                    .sort_values("prior_shift", kind="stable")
                )
                panel.scatter(rows["prior_shift"], rows["improvement"], s=10, alpha=0.4, **look(index))
                panel.plot(*means.to_numpy().T, linewidth=1.8, markersize=5, label=method, **look(index))
            panel.set_title(name, loc="left")
            panel.set_xlabel(PRIOR_SHIFT)
            panel.set_ylabel(f"improvement of {SCORE} over zero-shot (%)")
        _add_legend(figure, axes[0][0])
    return figure


def draw_steps(table: pd.DataFrame, title: str, methods: Mapping[str, int]) -> Figure:
    """Draw performance over the update steps: a line per method (mean over seeds) and a faint one per seed.

    `table` has method, seed, step and macro_f1; step 0 is the model before adaptation.
    """
    with plt.rc_context(STYLE):
        figure, panel = plt.subplots(figsize=(7.5, 4.5))
        figure.suptitle(title)
        for method, index in methods.items():
            rows = table[table["method"] == method]
            for _, run in rows.groupby("seed"):
                panel.plot(run["step"], run["macro_f1"], color=look(index)["color"], alpha=0.3, linewidth=0.8)
            mean = rows.groupby("step")["macro_f1"].mean()
            panel.plot(mean.index, mean.to_numpy(), linewidth=2, markersize=4, label=method, **look(index))
        panel.set_xlabel(STEPS)
        panel.set_ylabel(SCORE)
        panel.legend()
    return figure


def draw_log(log: pd.DataFrame, title: str) -> Figure:
    """Draw what an alignment logged at every step: losses, gradient norm, weights, priors, feature shift."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(2, 3, figsize=(12, 6.4), sharex=True)
        figure.suptitle(title)
        for panel, (label, name) in zip(axes.flat, LOGGED, strict=True):
            by_class = name.endswith("_")
            columns = [column for column in log if column.startswith(name)] if by_class else [name]
            for index, column in enumerate(columns):
                style = look(index) if by_class else {"color": COLOURS[0]}
                style["label"] = column.removeprefix(name)
                panel.plot(log["step"], log[column], linewidth=1.2, markersize=4, markevery=0.1, **style)
            panel.set_ylabel(label)
        for panel in axes[-1]:
            panel.set_xlabel(STEPS)
        _add_legend(figure, axes[1][0], "class")
    return figure
