"""How much adaptation gains over zero-shot transfer when the target has different class priors."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from xstitch.core.progress import progress
from xstitch.models.settings.transfer import AdversarialSettings
from xstitch.models.transfer.domains import answer_all, load_domain, load_model
from xstitch.models.transfer.sampling import item_prior
from xstitch.models.transfer.shifts import prior_correction, total_variation
from xstitch.models.transfer.stages import Stage, adapt_in_stages
from xstitch.models.transfer.task import Transfer
from xstitch.results.metrics import macro_f1_at_prior
from xstitch.training.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from xstitch.training.devices import choose_device

if TYPE_CHECKING:
    import pandas as pd

LOG = logging.getLogger("xstitch")
Predictions = tuple[np.ndarray, np.ndarray]  # gold, predicted


def measure_improvements(
    transfer: Transfer,
    test: pd.DataFrame,
    stages: Sequence[Stage],
    samples: Sequence[np.ndarray],
    seed: int,
    checkpoint: Checkpoint,
) -> Iterator[dict[str, str]]:
    """Adapt to target sets with different priors (rows of the target) in turn; yield one record per set.

    Every set is scored on all test items, weighted to the set's prior. An improvement is in percent of the
    zero-shot score. If weights are estimated, a record says how much of the prior shift they correct. Records
    are kept in the checkpoint: a killed run resumes at the set it was working on.
    """
    _, done = load_checkpoint(checkpoint.folder, checkpoint.fingerprint) or ({}, [])
    if done:
        LOG.info("resumed at set %d of %d", len(done) + 1, len(samples))
    yield from done
    before = _predictions(transfer.model, test, transfer)
    for rows in progress(samples[len(done) :], "adapting", unit="set"):
        to_set = replace(transfer, target=transfer.target.iloc[rows].reset_index(drop=True))
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "adapted"
            logs = adapt_in_stages(stages, to_set, seed, output)
            after = _predictions(output, test, transfer)
        estimate = _estimate(stages, logs, transfer.labels)
        record = {"set": str(len(done)), **_compare(to_set, before, after, estimate)}
        done.append(record)
        save_checkpoint(checkpoint.folder, checkpoint.fingerprint, len(done), {}, done)
        yield record


def _compare(
    transfer: Transfer, before: Predictions, after: Predictions, estimate: np.ndarray | None
) -> dict[str, str]:
    """Return what adaptation to a target set gained, and how much of its prior shift was corrected."""
    prior, source_prior = (item_prior(side, transfer.labels) for side in (transfer.target, transfer.source))
    zero_shot, adapted = (macro_f1_at_prior(*predictions, prior) for predictions in (before, after))
    return {
        "prior_shift": f"{total_variation(prior, source_prior):.6f}",
        "zero_shot": f"{zero_shot:.6f}",
        "macro_f1": f"{adapted:.6f}",
        "improvement": f"{100 * (adapted / zero_shot - 1):.4f}" if zero_shot else "",
        "correction": "" if estimate is None else f"{prior_correction(prior, source_prior, estimate):.6f}",
    }


def _predictions(folder: Path, test: pd.DataFrame, transfer: Transfer) -> Predictions:
    """Return the true and the predicted labels of all test items."""
    domain = load_domain(folder, test, transfer.labels, transfer.max_length)
    answers = answer_all(load_model(folder, test).to(choose_device()), domain)
    return answers.gold.numpy(), answers.logits.argmax(dim=1).numpy()


def _estimate(stages: Sequence[Stage], logs: dict[str, pa.Table], labels: Sequence[str]) -> np.ndarray | None:
    """Return the target's priors as the adversarial stage last estimated them, if it did."""
    adversarial = [stage.adaptation for stage in stages if stage.method == "adversarial"]
    if not adversarial or AdversarialSettings(**adversarial[-1]).weights != "estimated":
        return None
    return np.array([logs["adversarial"].column(f"prior_{label}")[-1].as_py() for label in labels])
