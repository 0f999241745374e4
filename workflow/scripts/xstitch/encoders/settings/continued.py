"""How pre-training is continued, with words tied to static vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count, Positive
from xstitch.encoders.settings.pretraining import MaskedModelling

RIDGE = 1e-4


@dataclass(frozen=True)
class Correlations:
    """Which correlations loss dcca maximises."""

    components: Count | None = None
    """For loss dcca: reduces each view to this many principal components of the batch; null: does not."""
    correlations: Count | None = None
    """For loss dcca: how many of the highest count; null: all."""
    objective: Literal["correlations", "generalised"] = "correlations"
    """For loss dcca: generalised counts a correlation r as sqrt(1 + r), as generalised CCA does."""
    ridge: Positive = RIDGE
    """For loss dcca without components: added to variances."""


@dataclass(frozen=True)
class ContinuationSettings(Correlations, MaskedModelling):
    """Keys of a continued encoder in the configuration; `training.batch_size` counts sentences."""

    loss: Literal["none", "mse", "dcca"] = "none"
    """In addition to masked language modelling."""
    weight: Positive = 1.0
    """Of that loss."""
    words_batch: Count = 1024
    """Words per update."""
    words_part: Count | None = None
    """Words compared at a time; an update averages the loss of its parts; null: all words of an update."""
    max_words: Count = 200_000
    """The most frequent words per language."""
