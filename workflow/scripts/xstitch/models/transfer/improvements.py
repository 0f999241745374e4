"""How much adaptation gains over zero-shot transfer when the target has different class priors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from xstitch.core.progress import progress
from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.transfer.attempts import MODEL, finish, workplace
from xstitch.models.transfer.domains import load_domain, load_model, predict
from xstitch.models.transfer.sampling import item_prior
from xstitch.models.transfer.shifts import prior_correction, total_variation
from xstitch.models.transfer.stages import Stage, adapt
from xstitch.models.transfer.task import Transfer
from xstitch.results.metrics import macro_f1_at_prior
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device

if TYPE_CHECKING:
    import pandas as pd

Predictions = tuple[np.ndarray, np.ndarray]  # gold, predicted


@dataclass(frozen=True)
class Earlier:
    """What an earlier stage made of the same sets: its models, in a folder by set, and its records."""

    models: Path
    records: Sequence[Mapping[str, str]]

    def correction(self, number: int) -> str:
        """Return how much of a set's prior shift that stage, or one before it, has corrected."""
        return next(record["correction"] for record in self.records if record["set"] == str(number))


def measure_improvements(
    transfer: Transfer,
    test: pd.DataFrame,
    stage: Stage,
    samples: Mapping[int, np.ndarray],
    seed: int,
    checkpoint: Checkpoint,
    earlier: Earlier | None = None,
) -> Iterator[dict[str, str]]:
    """Adapt to target sets with different priors (rows of the target) in turn; yield one record per set.

    A set's model is the transfer's, or that of an `earlier` stage; what is gained is in percent of the score
    of the transfer's model. Every set is scored on all test items, weighted to the set's prior. If weights
    are estimated, a record says how much of the prior shift they correct. The models stay in `workplace`
    until the caller removes the checkpoint: a killed run resumes within the set it was working on.
    """
    before = _predictions(transfer.model, test, transfer)
    for number, rows in progress(samples.items(), "adapting", unit="set"):
        to_set = replace(
            transfer,
            model=earlier.models / str(number) if earlier else transfer.model,
            target=transfer.target.iloc[rows].reset_index(drop=True),
        )
        folder = workplace(checkpoint) / str(number)
        log = finish(partial(adapt, stage, to_set, seed), folder, checkpoint)
        after = _predictions(folder / MODEL, test, transfer)
        if stage.method == "adversarial":
            correction = _corrected(to_set, _estimate(stage, log, transfer.labels))
        else:
            correction = earlier.correction(number) if earlier else ""
        yield {"set": str(number), **_compare(to_set, before, after), "correction": correction}


def _compare(transfer: Transfer, before: Predictions, after: Predictions) -> dict[str, str]:
    """Return what adaptation to a target set gained."""
    prior, source_prior = _priors(transfer)
    zero_shot, adapted = (macro_f1_at_prior(*predictions, prior) for predictions in (before, after))
    return {
        "prior_shift": f"{total_variation(prior, source_prior):.6f}",
        "zero_shot": f"{zero_shot:.6f}",
        "macro_f1": f"{adapted:.6f}",
        "improvement": f"{100 * (adapted / zero_shot - 1):.4f}" if zero_shot else "",
    }


def _priors(transfer: Transfer) -> tuple[np.ndarray, np.ndarray]:
    """Return the class priors of target and source."""
    return item_prior(transfer.target, transfer.labels), item_prior(transfer.source, transfer.labels)


def _corrected(transfer: Transfer, estimate: np.ndarray | None) -> str:
    """Return how much of a set's prior shift an estimate corrects, if there is one."""
    return "" if estimate is None else f"{prior_correction(*_priors(transfer), estimate):.6f}"


def _predictions(folder: Path, test: pd.DataFrame, transfer: Transfer) -> Predictions:
    """Return the true and the predicted labels of all test items."""
    domain = load_domain(folder, test, transfer.labels, transfer.max_length)
    return predict(load_model(folder, test).to(choose_device()), domain)


def _estimate(stage: Stage, log: pa.Table, labels: Sequence[str]) -> np.ndarray | None:
    """Return the target's priors as an alignment last estimated them, if it did."""
    if AdversarialSettings(**stage.adaptation).weights != "estimated":
        return None
    return np.array([log.column(f"prior_{label}")[-1].as_py() for label in labels])
