"""The numbers behind a figure: measurements of several recipes and panels, gathered and summarised."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from xstitch.core.files import read_json
from xstitch.results import figures
from xstitch.results.intervals import Correlation, correlation, partial_correlation
from xstitch.results.shift_data import LARGE_SHIFT, final_layer

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def gather(spec: Mapping[str, Any], files: Sequence[str | Path]) -> pd.DataFrame:
    """Read the measurements of a figure; the columns panel and method say where a row belongs.

    `files` are ordered by panel, then by row of the spec, with the same number of files for each.
    """
    series = [(panel, row) for panel in spec["panels"] for row in spec["rows"]]
    each = len(files) // len(series)
    tables = []
    for number, (panel, row) in enumerate(series):
        for file in files[number * each : (number + 1) * each]:
            table = _read(spec["kind"], Path(file))
            table.insert(0, "method", row["row"])
            table.insert(0, "panel", panel["title"])
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _read(kind: str, path: Path) -> pd.DataFrame:
    if kind != "steps":
        return pd.read_csv(path, sep="\t")
    records = read_json(path / "xstitch.json")["history"]["records"]
    rows = [(path.name.removeprefix("seed"), record["step"], record["metric"]) for record in records]
    return pd.DataFrame(rows, columns=["seed", "step", "macro_f1"])


def draw(spec: Mapping[str, Any], data: pd.DataFrame, order: Mapping[str, int], scale: str) -> Figure:
    """Draw a figure by its kind; `order` numbers the languages, for their colours and markers."""
    title = f"{spec['title']} (scale: {scale})"
    kind, panels = spec["kind"], [panel["title"] for panel in spec["panels"]]
    methods = {row["row"]: number for number, row in enumerate(spec["rows"])}
    if kind == "improvements":
        return figures.draw_improvements(
            [(name, data[data["panel"] == name]) for name in panels], methods, title
        )
    if kind == "steps":
        return figures.draw_steps(data, title, methods)
    if kind == "layers":
        return figures.draw_layers(data, order, list(methods), spec["poolings"], title)
    if kind == "joint":
        parts = [final_layer(data[data["panel"] == name]) for name in panels]
        return figures.draw_joint(parts, order, panels, title)
    return figures.draw_factors(
        final_layer(data),
        order,
        {"title": title, **correlation_texts(data)},
        data[data["pooling"] == "cls"] if spec.get("layers") else None,
        spec.get("prior", True),
    )


def correlations(data: pd.DataFrame) -> dict[str, Correlation]:
    """Correlate performance with each shift, alone and with the other shift fixed."""
    points = final_layer(data)
    score, feature, prior = (points[name].to_numpy() for name in ("macro_f1", "feature_shift", "prior_shift"))
    return {
        "feature shift": correlation(feature, score),
        "prior shift": correlation(prior, score),
        "feature shift, prior shift fixed": partial_correlation(feature, score, prior),
        "prior shift, feature shift fixed": partial_correlation(prior, score, feature),
    }


def correlation_texts(data: pd.DataFrame) -> dict[str, str]:
    """Return the lines above the panels of a figure."""
    by_factor = correlations(data)
    return {
        "feature": _described(by_factor["feature shift"]),
        "prior": _described(by_factor["prior shift"]),
    }


def _described(result: Correlation) -> str:
    few = math.isnan(result.low)
    interval = "too few for an interval" if few else f"95 % interval {result.low:.2f} to {result.high:.2f}"
    return f"r = {result.r:.2f}, {result.n} samples, {interval}"


def facts(spec: Mapping[str, Any], data: pd.DataFrame) -> Iterator[dict[str, str]]:
    """Summarise a figure in numbers, as records: panel, method, fact, value, low, high, n."""
    for (panel, method), rows in data.groupby(["panel", "method"], sort=False):
        series = {"panel": panel, "method": method}
        if spec["kind"] == "improvements":
            yield from _improvement_facts(rows, series)
        elif spec["kind"] == "steps":
            last = rows[rows["step"] == rows["step"].max()]["macro_f1"]
            yield _fact(series, "macro-F1 after the last step", last.mean(), n=len(last))
        else:
            for name, result in correlations(rows).items():
                numbers = result.r, result.low, result.high, result.n
                yield _fact(series, f"correlation of macro-F1 with {name}", *numbers)
            final = final_layer(rows)
            yield _fact(series, "mean feature shift", final["feature_shift"].mean(), n=len(final))
            yield _fact(series, "mean macro-F1", final["macro_f1"].mean(), n=len(final))


def _improvement_facts(rows: pd.DataFrame, series: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for name, part in (
        ("below", rows["prior_shift"] < LARGE_SHIFT),
        ("from", rows["prior_shift"] >= LARGE_SHIFT),
    ):
        chosen = rows[part]
        for column, what in (
            ("improvement", "mean improvement (%)"),
            ("correction", "mean prior-shift correction"),
        ):
            values = chosen[column].dropna()
            if len(values):
                yield _fact(series, f"{what}, shifts {name} {LARGE_SHIFT}", values.mean(), n=len(values))


def _fact(
    series: Mapping[str, str],
    name: str,
    value: float,
    low: float | None = None,
    high: float | None = None,
    n: int = 0,
) -> dict[str, str]:
    numbers = {"value": value, "low": low, "high": high}
    formatted = {key: "" if number is None else f"{number:.4f}" for key, number in numbers.items()}
    return {**series, "fact": name, **formatted, "n": str(n)}
