"""How adapters of languages and tasks are built and trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xstitch.core.settings import Count
from xstitch.encoders.settings.pretraining import MaskedModelling

ADAPTER_FILE = "adapter.safetensors"  # in the folder of a language adapter
# Parts of the names that an encoder's weights have if they belong to adapters.
LANGUAGE_PARTS, TASK_PART = (".adapters.language.", "embeddings.invertible."), ".adapters.task."


@dataclass(frozen=True)
class LanguageAdapterSettings(MaskedModelling):
    """Keys of language adapters in the configuration; the defaults are MAD-X's."""

    reduction: Count = 2
    """How many times wider than an adapter's bottleneck the encoder is."""
    invertible_reduction: Count = 2
    """The same for the invertible adapter, which transforms half of the embedding by the other half."""
    train_head: bool = False
    """Whether the head that predicts masked tokens learns, too; it is not kept."""


@dataclass(frozen=True)
class TaskAdapterSettings:
    """The shape of a task adapter and how it is stacked; the defaults are MAD-X's."""

    reduction: Count = 16
    """How many times wider than an adapter's bottleneck the encoder is."""
    stacking: Literal["sequential", "equation"] = "sequential"
    """Sequential, as in AdapterHub's code: the task adapter reads the normalised output of the language
    adapter and adds to it. Equation, as in MAD-X's text: it reads that output as it is and adds to the
    output of the feed-forward layer."""
