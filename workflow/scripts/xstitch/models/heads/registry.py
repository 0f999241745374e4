"""Heads: what models learn from the rows of a task, and how their answers are scored.

`HEADS` says which module handles which kind of rows (xstitch.sources.tasks.readers); every module has the
functions of `Head`, and that of sentences also has `scaled`. Modules are imported by name, so that editing
one head does not rerun the models of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from xstitch.encoders.adapters import AdapterStack
    from xstitch.training.checkpoints import Checkpoint
    from xstitch.training.history import History
    from xstitch.training.schedule import Schedule

HEADS = {"texts": "labels", "pairs": "labels", "questions": "answers", "sentences": "tags"}
Settings = Mapping[str, Any]  # `labels`, `max_length`, and further keys of the head's tasks


class Head(Protocol):
    """The functions of a head's module."""

    def finetune(
        self,
        encoder: Path,
        training: pa.Table,
        dev: pa.Table,
        settings: Settings,
        schedule: Schedule,
        output: Path,
        checkpoint: Checkpoint | None = None,
        embeddings: np.ndarray | None = None,
        freeze_embeddings: bool = False,
        adapters: AdapterStack | None = None,
    ) -> History:
        """Fine-tune an encoder folder on the rows of a task and write a transformers folder."""

    def predict(self, folder: Path, rows: pa.Table, settings: Settings) -> list[str]:
        """Answer every row with a fine-tuned folder, as text."""

    def truth(self, rows: pa.Table) -> list[str]:
        """Return the right answers as text, in the same form as `predict`."""

    def scores(self, rows: pa.Table, predicted: Sequence[str], settings: Settings) -> dict[str, float]:
        """Score answers by the task's metrics, as fractions of 1."""


def load_head(rows: str) -> Head:
    """Import the head for a kind of rows."""
    return cast(Head, import_module(head_module(rows)))


def head_module(rows: str) -> str:
    """Name the module of the head for a kind of rows."""
    if rows not in HEADS:
        raise ValueError(f"no model is fine-tuned on {rows!r}; there are heads for {', '.join(HEADS)}")
    return f"xstitch.models.heads.{HEADS[rows]}"
