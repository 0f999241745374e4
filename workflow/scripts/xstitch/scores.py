"""Scores in one long format, whatever the recipe, task or language."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from xstitch.errors import InputError
from xstitch.files import whole_file
from xstitch.metrics import accuracy, macro_f1


class Score(NamedTuple):
    """One measured number: a share of 1 (never percent), a correlation or a count."""

    recipe: str
    task: str
    src: str
    tgt: str
    split: str
    metric: str
    seed: int
    value: float
    n: int
    scale: str


def classification_scores(
    truth: Sequence[str], predicted: Sequence[str], labels: Sequence[str], **place: str | int
) -> list[Score]:
    """Score predictions over a whole split by macro-F1 and accuracy."""
    values = {"macro_f1": macro_f1(truth, predicted, labels), "accuracy": accuracy(truth, predicted)}
    return as_scores(values, len(truth), **place)


def as_scores(values: Mapping[str, float], n: int, **place: str | int) -> list[Score]:
    """Put values by metric, shares of `n` items, in their place."""
    return [Score(metric=metric, value=value, n=n, **place) for metric, value in values.items()]


def write_scores(scores: Iterable[Score], path: str | Path) -> None:
    """Write scores with nine decimals: enough to tell any two apart, the same on every run."""
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(Score._fields)
        for score in scores:
            writer.writerow(score._replace(value=f"{score.value:.9f}"))


def read_scores(path: str | Path) -> list[Score]:
    """Read what `write_scores` wrote."""
    with Path(path).open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t")
        if reader.fieldnames != list(Score._fields):
            raise InputError(
                f"{path}:1: a score file has the columns {' '.join(Score._fields)}; make it again"
            )
        return [_score(row, f"{path}:{number}") for number, row in enumerate(reader, start=2)]


def _score(row: dict[str, str], place: str) -> Score:
    try:
        return Score(**{**row, "seed": int(row["seed"]), "value": float(row["value"]), "n": int(row["n"])})
    except (TypeError, ValueError) as problem:
        raise InputError(
            f"{place}: not a score of {len(Score._fields)} columns; make the file again"
        ) from problem
