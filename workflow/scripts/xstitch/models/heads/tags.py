"""One tag for each word of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.models.heads.registry import Settings
from xstitch.models.tagging import finetune_tagger, mean_words, predict_tags, scaled_schedule
from xstitch.results.tag_metrics import tagging_scores
from xstitch.sources.tasks.rows import sentences_of
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
    """Fine-tune on tagged sentences; if `dev` has none, keep the last weights."""
    rows = sentences_of(training), sentences_of(dev) or None
    return finetune_tagger(
        encoder, *rows, settings["labels"], schedule, settings["max_length"], output, *more
    )


def scaled(
    encoder: Path, reference: pa.Table, training: pa.Table, settings: Settings, schedule: Schedule
) -> Schedule:
    """Scale the number of updates, so that words count as much as in training on the `reference`."""
    length = settings["max_length"]
    tokenizer = load_fast_tokenizer(encoder, length)
    own, other = (
        mean_words(tokenizer, table["words"].to_pylist(), length) for table in (training, reference)
    )
    return scaled_schedule(schedule, len(training), own / other)


def predict(folder: Path, rows: pa.Table, settings: Settings) -> list[str]:
    """Tag every sentence; its tags are joined by spaces."""
    sentences = predict_tags(folder, rows["words"].to_pylist(), settings["max_length"]).tags
    return [" ".join(tags) for tags in sentences]


def truth(rows: pa.Table) -> list[str]:
    """Return the tags of every sentence."""
    return [" ".join(tags) for tags in rows["tags"].to_pylist()]


def scores(rows: pa.Table, predicted: Sequence[str], _: Settings) -> dict[str, float]:
    """Score by precision, recall and F1 of spans, and by the share of words tagged correctly."""
    percentages = tagging_scores(rows["tags"].to_pylist(), [tags.split() for tags in predicted])
    return {metric: percent / 100 for metric, percent in percentages._asdict().items()}
