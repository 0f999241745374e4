"""Two spaces in two dimensions, absolute and relative to anchors: bootstrap's qualitative figure.

Words of a few clusters are drawn. Each absolute space has its own principal axes. The relative vectors of
both spaces are drawn on the source's axes: if anchors are parallel, both pictures are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.cluster import KMeans

from xstitch.core.errors import InputError
from xstitch.core.files import whole_file
from xstitch.vectors.table import unit_rows

# Okabe and Ito's colours, which colour-blind readers can distinguish; the markers are for print in grey.
LOOKS = (
    ("#0072B2", "o"),
    ("#E69F00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#56B4E9", "v"),
    ("#D55E00", "P"),
)
SCHEMA = pa.schema(
    [
        ("row", pa.string()),
        ("space", pa.string()),
        ("word", pa.string()),
        ("cluster", pa.int32()),
        ("x", pa.float64()),
        ("y", pa.float64()),
    ]
)


@dataclass(frozen=True)
class Spaces:
    """Two spaces with the words they share; rows of source and target correspond to each other."""

    names: tuple[str, str]
    words: Sequence[str]
    source: np.ndarray
    target: np.ndarray


def clusters_of(rows: np.ndarray, clusters: int, size: int, seed: int) -> np.ndarray:
    """Number the clusters of unit rows; all but the `size` nearest to each centre are -1."""
    if not 1 <= clusters <= len(LOOKS):
        raise InputError(f"a figure can show 1 to {len(LOOKS)} clusters, not {clusters}")
    if len(rows) < clusters:
        raise InputError(f"{len(rows)} words cannot make {clusters} clusters: take fewer clusters")
    fitted = KMeans(clusters, n_init=4, random_state=seed).fit(rows)
    distances = np.round(np.linalg.norm(rows - fitted.cluster_centers_[fitted.labels_], axis=1), 6)
    chosen = np.full(len(rows), -1)
    for cluster in range(clusters):
        members = np.flatnonzero(fitted.labels_ == cluster)
        chosen[members[np.argsort(distances[members], kind="stable")[:size]]] = cluster
    return chosen


def principal_axes(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the centre and the two axes of largest variance; each axis has a positive largest entry."""
    centre = rows.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov(rows - centre, rowvar=False))
    axes = axes[:, :-3:-1]
    return centre, axes * np.sign(axes[np.round(np.abs(axes), 6).argmax(axis=0), [0, 1]])


def figure_points(
    spaces: Spaces,
    anchors: Mapping[str, tuple[np.ndarray, np.ndarray]],
    clusters: int = 6,
    size: int = 50,
    seed: int = 0,
) -> pa.Table:
    """Compute where words of clusters are drawn: a row `absolute`, then a row per pair of anchor matrices."""
    sides = (unit_rows(spaces.source), unit_rows(spaces.target))
    chosen = clusters_of(sides[0], clusters, size, seed)
    shown = np.flatnonzero(chosen >= 0)
    drawn = {"absolute": [_projected(side[shown], *principal_axes(side[shown])) for side in sides]}
    for name, pair in anchors.items():
        relative = [
            unit_rows(side[shown] @ unit_rows(anchor_rows).T)
            for side, anchor_rows in zip(sides, pair, strict=True)
        ]
        axes = principal_axes(relative[0])
        drawn[name] = [_projected(rows, *axes) for rows in relative]
    records = [
        {"row": row, "space": space, "word": spaces.words[w], "cluster": int(chosen[w]), "x": x, "y": y}
        for row, pictures in drawn.items()
        for space, picture in zip(spaces.names, pictures, strict=True)
        for w, (x, y) in zip(shown, picture.tolist(), strict=True)
    ]
    return pa.Table.from_pylist(records, schema=SCHEMA)


def draw_figure(points: pa.Table, path: str | Path) -> None:
    """Draw a picture per row and space as SVG; the same points give the same bytes."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    records = points.to_pylist()
    rows, columns = (list(dict.fromkeys(record[key] for record in records)) for key in ("row", "space"))
    with mpl.rc_context({"svg.hashsalt": "xstitch", "svg.fonttype": "none", "font.size": 9}):
        size = (2.6 * len(columns), 2.3 * len(rows) + 0.7)
        figure, axes = plt.subplots(
            len(rows), len(columns), figsize=size, squeeze=False, layout="constrained"
        )
        for row, line in zip(rows, axes, strict=True):
            # Absolute spaces have nothing in common; relative ones share their axes, so they share a scale.
            limits = None if row == "absolute" else _limits([r for r in records if r["row"] == row])
            for space, panel in zip(columns, line, strict=True):
                shown = [r for r in records if (r["row"], r["space"]) == (row, space)]
                _draw_panel(panel, shown, limits)
                panel.set_title(space if row == rows[0] else "")
            line[0].set_ylabel(row)
        handles, words = axes[0][0].get_legend_handles_labels()
        title = "clusters, named by their most frequent word"
        figure.legend(handles, words, loc="outside lower center", ncols=3, title=title, frameon=False)
        with whole_file(path) as partial:
            figure.savefig(partial, format="svg", metadata={"Date": None})
        plt.close(figure)


def _draw_panel(panel, records: list[dict], limits: tuple | None) -> None:
    for cluster, (colour, mark) in enumerate(LOOKS):
        members = [r for r in records if r["cluster"] == cluster]
        if members:  # words are ordered by frequency
            x, y, word = [r["x"] for r in members], [r["y"] for r in members], members[0]["word"]
            panel.scatter(x, y, s=9, c=colour, marker=mark, linewidths=0, alpha=0.8, label=word)
    panel.set_xticks([])
    panel.set_yticks([])
    if limits:
        panel.set_xlim(limits[0])
        panel.set_ylim(limits[1])


def _limits(records: list[dict]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the bounds of all points, with a margin of a twentieth."""
    bounds = []
    for key in ("x", "y"):
        values = [record[key] for record in records]
        margin = (max(values) - min(values)) / 20
        bounds.append((min(values) - margin, max(values) + margin))
    return bounds[0], bounds[1]


def _projected(rows: np.ndarray, centre: np.ndarray, axes: np.ndarray) -> np.ndarray:
    return (rows - centre) @ axes
