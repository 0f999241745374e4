"""One label for a text or for a pair of texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from xstitch.models.classification import finetune_classifier, predict_labels
from xstitch.models.heads.registry import Settings
from xstitch.results.metrics import classification_scores
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
    """Fine-tune on the columns text, label and, for pairs, second; `more` is as in `Head.finetune`.

    If `dev` has no rows, as a user's task may, the last weights are kept.
    """
    rows = training.to_pandas(), dev.to_pandas() if len(dev) else None
    return finetune_classifier(
        encoder, *rows, settings["labels"], schedule, settings["max_length"], output, *more
    )


def predict(folder: Path, rows: pa.Table, settings: Settings) -> list[str]:
    """Return the most likely label of every text or pair."""
    texts = rows["text"].to_pylist()
    second = rows["second"].to_pylist() if "second" in rows.column_names else None
    return predict_labels(folder, texts, settings["max_length"], second).labels


def truth(rows: pa.Table) -> list[str]:
    """Return the labels."""
    return rows["label"].to_pylist()


def scores(rows: pa.Table, predicted: Sequence[str], settings: Settings) -> dict[str, float]:
    """Score by macro-F1 and accuracy over the whole split."""
    return classification_scores(truth(rows), predicted, settings["labels"])
