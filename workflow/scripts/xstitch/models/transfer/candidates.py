"""A choice among values that a paper tried: each adapts the model, the source's development texts decide."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.core.files import whole_folder
from xstitch.core.parquet import read_table
from xstitch.models.transfer.attempts import MODEL, STEPS, finish, workplace
from xstitch.models.transfer.domains import load_domain, load_model, predict
from xstitch.models.transfer.task import Transfer
from xstitch.results.metrics import macro_f1
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device

LOG = logging.getLogger("xstitch")
Values = Mapping[str, Any]  # one value of every key that has candidates
Attempt = Callable[[Values, Path, Checkpoint | None], pa.Table]  # adapts; returns what was logged


def adapt_with_best(
    candidates: Sequence[Values],
    attempt: Attempt,
    transfer: Transfer,
    output: Path,
    checkpoint: Checkpoint | None = None,
) -> pa.Table:
    """Adapt with every candidate; keep the model with the best macro-F1 on the source's development texts.

    Target labels are not used: without them, there would be nothing else to choose by. Of equal candidates
    the first wins. A resumed run keeps the candidates that were finished.
    """
    with _workplace(output, checkpoint) as place:
        folders = [place / str(number) for number in range(len(candidates))]
        scores = []
        for values, folder in zip(candidates, folders, strict=True):
            finish(partial(attempt, values), folder, checkpoint)
            scores.append(source_score(folder / MODEL, transfer))
            LOG.info("candidate %s: macro-F1 %.4f on the source's development texts", values, scores[-1])
        best = folders[int(np.argmax(scores))]
        with whole_folder(output) as copy:
            shutil.copytree(best / MODEL, copy, dirs_exist_ok=True)
        log = read_table(best / STEPS)
    if checkpoint:
        checkpoint.remove()
    return log


def source_score(model: Path, transfer: Transfer) -> float:
    """Return a model's macro-F1 on the source's development texts."""
    if transfer.source_dev is None:
        raise InputError("adaptation: candidates are compared on development texts, but there are none")
    domain = load_domain(model, transfer.source_dev, transfer.labels, transfer.max_length)
    answers = predict(load_model(model, transfer.source_dev).to(choose_device()), domain)
    return macro_f1(*answers, range(len(transfer.labels)))


@contextmanager
def _workplace(output: Path, checkpoint: Checkpoint | None) -> Iterator[Path]:
    """Yield the folder for all candidates: next to the checkpoint of this very run, or a temporary one."""
    if checkpoint:
        yield workplace(checkpoint)
    else:
        with tempfile.TemporaryDirectory(dir=output.parent) as folder:
            yield Path(folder)
