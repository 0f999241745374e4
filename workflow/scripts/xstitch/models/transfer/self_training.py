"""Self-training: a model keeps learning from the answers it is surest of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from xstitch.encoders.folders import load_tokenizer, save_trained
from xstitch.models.settings.transfer import SelfTrainingSettings
from xstitch.models.tagging import IGNORED
from xstitch.models.transfer.domains import Domain, answer, load_model
from xstitch.models.transfer.sureness import Pool, read_sureness
from xstitch.models.transfer.task import Transfer
from xstitch.training.batches import BatchStream, grouped_batches
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, seed_all
from xstitch.training.history import History
from xstitch.training.loop import train
from xstitch.training.schedule import Schedule


class PseudoStream:
    """Batches of the surest target examples with the model's own labels, chosen anew in each round.

    Each comes with a batch of source examples. A round ends when its examples have been seen once; the next
    round may choose them again: if every example had to be seen first, the least sure ones would be learnt
    in the end. A position in the stream includes the round's choice: a resumed run, whose model has moved on,
    would choose differently.
    """

    def __init__(
        self,
        domain: Domain,
        source: BatchStream,
        pool: Pool,
        schedule: Schedule,
    ) -> None:
        self.domain, self.source, self.pool, self.schedule = domain, source, pool, schedule
        self.round, self.index = 0, 0
        self.rows = np.zeros(0, dtype=np.int64)
        self.labels = np.full(len(domain.gold), IGNORED)
        self.batches: list[np.ndarray] = []

    def __len__(self) -> int:
        """Return the number of batches in an epoch of the source."""
        return len(self.source)

    def __next__(self) -> dict[str, Any]:
        if self.index == len(self.batches):
            self._next_round()
        rows = self.batches[self.index]
        self.index += 1
        batch = self.domain.collate(rows)
        items = batch["items"].numpy()
        labels = torch.from_numpy(np.where(items < 0, IGNORED, self.labels[items]))
        return {"source": next(self.source), "target": {**batch, "labels": labels}}

    def _next_round(self) -> None:
        """Choose the examples of the next round."""
        self.rows, self.labels = self.pool.choose()
        self.round, self.index = self.round + 1, 0
        self._make_batches()

    def _make_batches(self) -> None:
        """Split the round's examples into batches."""
        lengths, how = self.domain.inputs.ids.lengths[self.rows], self.schedule
        batches = grouped_batches(how.batches, lengths, how.batch_size, how.seed, self.round)
        self.batches = [self.rows[batch] for batch in batches]

    def position(self) -> dict[str, Any]:
        """Return the position in the stream as plain data."""
        return {
            "round": self.round,
            "index": self.index,
            "rows": self.rows.tolist(),
            "labels": self.labels.tolist(),
            "source": self.source.position(),
            "pool": self.pool.position(),
        }

    def restore(self, position: dict[str, Any]) -> None:
        """Go to a position that `position` returned."""
        self.round, self.index = position["round"], position["index"]
        self.rows = np.array(position["rows"], dtype=np.int64)
        self.labels = np.array(position["labels"], dtype=np.int64)
        self.source.restore(position["source"])
        self.pool.restore(position["pool"])
        self._make_batches()


def self_train(
    transfer: Transfer,
    settings: SelfTrainingSettings,
    schedule: Schedule,
    output: Path,
    checkpoint: Checkpoint | None = None,
) -> History:
    """Train a model further on source labels and on its own surest answers; write the resulting folder.

    The last weights are kept: without target labels there is no way to choose the best ones.
    """
    schedule = transfer.scaled(schedule)
    seed_all(schedule.seed)
    model = load_model(transfer.model, transfer.target).to(choose_device())
    source, target = transfer.domains()
    pool = Pool(partial(read_sureness, model, target), len(target), settings, schedule.seed)
    stream = PseudoStream(target, source.stream(schedule), pool, schedule)
    history = train(model, _loss(model), stream, schedule, None, checkpoint, label="self-training")
    save_trained(output, model, load_tokenizer(transfer.model), history, checkpoint)
    return history


def _loss(model: nn.Module) -> Callable[[dict[str, Any]], torch.Tensor]:
    """Make the loss of a batch: on the source's labels and on those the model gave."""

    def loss(batch: dict[str, Any]) -> torch.Tensor:
        sides = [answer(model, batch[side]) for side in ("source", "target")]
        return sum(nn.functional.cross_entropy(side.logits, side.gold) for side in sides)

    return loss
