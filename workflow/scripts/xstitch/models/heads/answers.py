"""Questions answered by a span of a text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from xstitch.models.heads.registry import Settings
from xstitch.models.question_answering import finetune_reader, predict_answers
from xstitch.models.settings.reading import ReadingSettings
from xstitch.results.answer_metrics import answer_scores
from xstitch.sources.tasks.squad import questions_of
from xstitch.training.history import History
from xstitch.training.schedule import Schedule


def finetune(
    encoder: Path,
    training: pa.Table,
    dev: pa.Table,
    settings: Settings,
    schedule: Schedule,
    output: Path,
    *more: Any,
) -> History:
    """Fine-tune on questions; if `dev` has none, as in TyDiQA, keep the last weights."""
    rows = questions_of(training), questions_of(dev) or None
    return finetune_reader(encoder, *rows, schedule, _lengths(settings), output, *more)


def predict(folder: Path, rows: pa.Table, settings: Settings) -> list[str]:
    """Find the answer to every question."""
    return predict_answers(folder, questions_of(rows), _lengths(settings)).texts


def truth(rows: pa.Table) -> list[str]:
    """Return the first answer of every question."""
    return [answers[0] for answers in rows["answers"].to_pylist()]


def scores(rows: pa.Table, predicted: Sequence[str], _: Settings) -> dict[str, float]:
    """Score by SQuAD's exact match and word F1."""
    percentages = answer_scores(rows["answers"].to_pylist(), predicted)
    return {metric: percent / 100 for metric, percent in percentages._asdict().items()}


def _lengths(settings: Settings) -> ReadingSettings:
    return ReadingSettings(**{key: value for key, value in settings.items() if key != "labels"})
