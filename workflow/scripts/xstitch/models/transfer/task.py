"""The inputs of every adaptation to an unlabelled language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.models.tagging import mean_words, scaled_schedule
from xstitch.models.transfer.domains import WORDS, Domain, is_tagging, load_domain, load_model

if TYPE_CHECKING:
    import pandas as pd
    from torch import nn

    from xstitch.training.schedule import Schedule


@dataclass(frozen=True)
class Transfer:
    """A fine-tuned model, labelled source data and target data.

    The target's labels are used by an oracle and to watch a run (`watched`), never for training.
    `source_model` is the folder with the source language's tokenizer and input embeddings if they differ from
    the model's: a stitched model has the target's. `source_dev` decides between candidates.
    """

    model: Path
    source: pd.DataFrame
    target: pd.DataFrame
    labels: Sequence[str]
    max_length: int
    source_model: Path | None = None
    watched: pd.DataFrame | None = None
    source_dev: pd.DataFrame | None = None

    def domains(self) -> tuple[Domain, Domain]:
        """Return both languages, tokenised."""
        source = load_domain(self.source_model or self.model, self.source, self.labels, self.max_length)
        return source, load_domain(self.model, self.target, self.labels, self.max_length)

    def source_table(self) -> nn.Embedding | None:
        """Return the source language's input embeddings if they differ from the model's."""
        if self.source_model is None:
            return None
        return load_model(self.source_model, self.source).get_input_embeddings()

    def scaled(self, schedule: Schedule) -> Schedule:
        """Scale the number of updates for tagging, so that words count as much as in the source language."""
        if not is_tagging(self.target):
            return schedule
        source, target = (
            mean_words(load_fast_tokenizer(model, self.max_length), list(side[WORDS]), self.max_length)
            for model, side in ((self.source_model or self.model, self.source), (self.model, self.target))
        )
        return scaled_schedule(schedule, len(self.target), target / source)
