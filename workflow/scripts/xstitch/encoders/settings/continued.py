"""How pre-training is continued, with words tied to static vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count, Positive
from xstitch.encoders.settings.pretraining import MaskedModelling

RIDGE = 1e-4


@dataclass(frozen=True)
class ContinuationSettings(MaskedModelling):
    """Keys of a continued encoder in the configuration; `training.batch_size` counts sentences."""

    loss: Literal["none", "mse", "dcca"] = "none"
    """In addition to masked language modelling."""
    weight: Positive = 1.0
    """Of that loss."""
    words_batch: Count = 1024
    """Words per update."""
    max_words: Count = 200_000
    """The most frequent words per language."""
    correlations: Count | None = None
    """For loss dcca: how many of the highest count; null: all."""
    ridge: Positive = RIDGE
    """For loss dcca: added to variances."""
