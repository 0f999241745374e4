"""The numbers behind a figure: measurements of several recipes and panels, brought together and summed up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from xstitch.core.files import read_json
from xstitch.results import figures
from xstitch.results.intervals import Correlation, correlation, partial_correlation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Where corrections are told apart. iwda 4.2: 0.8, all that five even classes allow as a total variation; only
# twice of it, the l1 distance, can have been meant.
LARGE_SHIFT = 0.4


def gather(spec: Mapping[str, Any], files: Sequence[str | Path]) -> pd.DataFrame:
    """Read the measurements of a figure; columns panel and method say where a row belongs.

    `files` come panel by panel, row by row of the spec, as many for each.
    """
    places = [(panel, row) for panel in spec["panels"] for row in spec["rows"]]
    each = len(files) // len(places)
    tables = []
    for number, (panel, row) in enumerate(places):
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


def draw(spec: Mapping[str, Any], data: pd.DataFrame, places: Mapping[str, int], scale: str) -> Figure:
    """Draw a figure of its kind."""
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
        return figures.draw_layers(data, places, list(methods), spec["poolings"], title)
    if kind == "joint":
        parts = [final_layer(data[data["panel"] == name]) for name in panels]
        return figures.draw_joint(parts, places, panels, title)
    return figures.draw_factors(
        final_layer(data),
        places,
        {"title": title, **correlation_texts(data)},
        data[data["pooling"] == "cls"] if spec.get("layers") else None,
        spec.get("prior", True),
    )


def final_layer(data: pd.DataFrame) -> pd.DataFrame:
    """The rows of what is classified: the last layer's states of the first token, or of words."""
    return data[(data["pooling"] == "cls") & (data["layer"] == data["layer"].max())]


def correlations(data: pd.DataFrame) -> dict[str, Correlation]:
    """Correlate performance with both shifts, alone and with the other one held fixed."""
    points = final_layer(data)
    score, feature, prior = (points[name].to_numpy() for name in ("macro_f1", "feature_shift", "prior_shift"))
    return {
        "feature shift": correlation(feature, score),
        "prior shift": correlation(prior, score),
        "feature shift, prior shift fixed": partial_correlation(feature, score, prior),
        "prior shift, feature shift fixed": partial_correlation(prior, score, feature),
    }


def correlation_texts(data: pd.DataFrame) -> dict[str, str]:
    """Lines over the panels of a figure."""
    found = correlations(data)
    return {
        "feature": _shown(found["feature shift"]),
        "prior": _shown(found["prior shift"]),
    }


def _shown(found: Correlation) -> str:
    few = math.isnan(found.low)
    interval = "too few for an interval" if few else f"95 % interval {found.low:.2f} to {found.high:.2f}"
    return f"r = {found.r:.2f}, {found.n} samples, {interval}"


def facts(spec: Mapping[str, Any], data: pd.DataFrame) -> Iterator[dict[str, str]]:
    """Sum a figure up in numbers, as records of one form: panel, method, fact, value, low, high, n."""
    for (panel, method), own in data.groupby(["panel", "method"], sort=False):
        place = {"panel": panel, "method": method}
        if spec["kind"] == "improvements":
            yield from _improvement_facts(own, place)
        elif spec["kind"] == "steps":
            last = own[own["step"] == own["step"].max()]["macro_f1"]
            yield _fact(place, "macro-F1 after the last step", last.mean(), n=len(last))
        else:
            for name, found in correlations(own).items():
                yield _fact(place, f"correlation of macro-F1 with {name}", *found_numbers(found))
            final = final_layer(own)
            yield _fact(place, "mean feature shift", final["feature_shift"].mean(), n=len(final))
            yield _fact(place, "mean macro-F1", final["macro_f1"].mean(), n=len(final))


def found_numbers(found: Correlation) -> tuple[float, float, float, int]:
    """A correlation's numbers in the order of a fact's."""
    return found.r, found.low, found.high, found.n


def _improvement_facts(own: pd.DataFrame, place: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for name, part in (
        ("below", own["prior_shift"] < LARGE_SHIFT),
        ("from", own["prior_shift"] >= LARGE_SHIFT),
    ):
        chosen = own[part]
        for column, what in (
            ("improvement", "mean improvement (%)"),
            ("correction", "mean prior-shift correction"),
        ):
            values = chosen[column].dropna()
            if len(values):
                yield _fact(place, f"{what}, shifts {name} {LARGE_SHIFT}", values.mean(), n=len(values))


def _fact(
    place: Mapping[str, str],
    name: str,
    value: float,
    low: float | None = None,
    high: float | None = None,
    n: int = 0,
) -> dict[str, str]:
    numbers = {"value": value, "low": low, "high": high}
    shown = {key: "" if number is None else f"{number:.4f}" for key, number in numbers.items()}
    return {**place, "fact": name, **shown, "n": str(n)}
