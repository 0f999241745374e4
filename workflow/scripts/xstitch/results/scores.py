"""Scores in one long format, whatever the recipe, task or language."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from xstitch.core.errors import InputError
from xstitch.core.files import whole_file
from xstitch.core.lines import tsv_rows
from xstitch.results.metrics import accuracy, macro_f1, mean_absolute_error, weighted_f1


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


def rating_scores(
    truth: Sequence[int], predicted: Sequence[int], labels: Sequence[int], **place: str | int
) -> list[Score]:
    """Score predictions of ordered labels over a whole split by weighted F1 and mean absolute error."""
    values = {
        "weighted_f1": weighted_f1(truth, predicted),
        "mae": mean_absolute_error(truth, predicted, labels),
    }
    return [Score(metric=metric, value=value, n=len(truth), **place) for metric, value in values.items()]


def write_scores(scores: Iterable[Score], path: str | Path) -> None:
    """Write scores with nine decimals: enough to tell any two apart, the same on every run."""
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(Score._fields)
        for score in scores:
            writer.writerow(score._replace(value=f"{score.value:.9f}"))


def read_scores(path: str | Path) -> list[Score]:
    """Read what `write_scores` wrote."""
    (_, header), *lines = tsv_rows(path) or [(1, [])]
    if header != list(Score._fields):
        columns = " ".join(Score._fields)
        raise InputError(f"{path}:1: a score file has the columns {columns}; make it again")
    return [_score(fields, f"{path}:{number}") for number, fields in lines]


def _score(fields: Sequence[str], place: str) -> Score:
    try:
        score = Score(*fields)
        return score._replace(seed=int(score.seed), value=float(score.value), n=int(score.n))
    except (TypeError, ValueError) as problem:
        columns = len(Score._fields)
        raise InputError(f"{place}: not a score of {columns} columns; make the file again") from problem
