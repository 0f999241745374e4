"""Scores and predictions in one long format, the same for every recipe, task and language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.core.tsv import tsv_rows, write_tsv

ONE_CHAIN = "1"
PREDICTIONS = pa.schema(
    [("tgt", pa.string()), ("seed", pa.int64())]
    + [(name, pa.string()) for name in ("id", "label", "predicted")]
)


class Score(NamedTuple):
    """One measured number: a fraction of 1 (never percent), a correlation or a count."""

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
    chain: str = ONE_CHAIN  # the draw of everything before fine-tuning that it was measured in


def as_scores(values: Mapping[str, float], n: int, **fields: str | int) -> list[Score]:
    """Make a score of each metric's value on `n` items; `fields` are the other fields of the scores."""
    return [Score(metric=metric, value=value, n=n, **fields) for metric, value in values.items()]


def predictions_table(
    target: str, seed: int, texts: Mapping[str, Sequence[str]], predicted: Sequence[str]
) -> pa.Table:
    """Put the predictions of one model next to the truth."""
    count = len(predicted)
    columns = [[target] * count, [seed] * count, texts["id"], texts["label"], predicted]
    return pa.table(dict(zip(PREDICTIONS.names, columns, strict=True)), schema=PREDICTIONS)


def write_scores(scores: Iterable[Score], path: str | Path, chain: str = ONE_CHAIN) -> None:
    """Write a chain's scores with nine decimals: enough to distinguish any two, and the same in every run."""
    rows = (score._replace(value=f"{score.value:.9f}", chain=chain) for score in scores)
    write_tsv(path, Score._fields, rows)


def read_scores(path: str | Path) -> list[Score]:
    """Read what `write_scores` wrote."""
    (_, header), *lines = tsv_rows(path) or [(1, [])]
    if header != list(Score._fields):
        columns = " ".join(Score._fields)
        raise InputError(f"{path}:1: a score file has the columns {columns}; make it again")
    return [_score(fields, f"{path}:{number}") for number, fields in lines]


def _score(fields: Sequence[str], line: str) -> Score:
    try:
        score = Score(*fields)
        return score._replace(seed=int(score.seed), value=float(score.value), n=int(score.n))
    except (TypeError, ValueError) as problem:
        columns = len(Score._fields)
        raise InputError(f"{line}: not a score of {columns} columns; make the file again") from problem
