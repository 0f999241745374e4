"""What adaptation brings over zero-shot transfer when the target's classes have other priors."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from xstitch.domains import answer_all, load_domain, load_model
from xstitch.metrics import macro_f1_at_prior
from xstitch.progress import progress
from xstitch.shifts import prior_correction, total_variation
from xstitch.stages import Stage, adapt_in_stages
from xstitch.subsampling import class_shares, draw_samples, item_prior
from xstitch.transfers import Transfer

if TYPE_CHECKING:
    import pandas as pd


def measure_improvements(
    transfer: Transfer,
    test: pd.DataFrame,
    stages: Sequence[Stage],
    sets: int,
    size: int,
    sampling_seed: int,
    seed: int,
) -> Iterator[dict[str, str]]:
    """Adapt to target sets of other priors, one after the other; yield a record a set.

    Every set is scored on all test items, weighted to its own prior. An improvement is in percent of the
    score before. Where weights are estimated, a record says how much of the prior shift they correct.
    """
    source_prior = item_prior(transfer.source, transfer.labels)
    before = _predictions(transfer.model, test, transfer)
    shares = class_shares(transfer.target, transfer.labels)
    samples = draw_samples(shares, sets, size, sampling_seed)
    for number, rows in enumerate(progress(samples, "adapting", unit="set")):
        own = replace(transfer, target=transfer.target.iloc[rows].reset_index(drop=True))
        prior = item_prior(own.target, own.labels)
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "adapted"
            logs = adapt_in_stages(stages, own, seed, output)
            after = _predictions(output, test, transfer)
        scores = [macro_f1_at_prior(*predictions, prior) for predictions in (before, after)]
        estimate = _estimate(logs, transfer.labels)
        yield {
            "set": str(number),
            "prior_shift": f"{total_variation(prior, source_prior):.6f}",
            "zero_shot": f"{scores[0]:.6f}",
            "macro_f1": f"{scores[1]:.6f}",
            "improvement": f"{100 * (scores[1] / scores[0] - 1):.4f}" if scores[0] else "",
            "correction": ""
            if estimate is None
            else f"{prior_correction(prior, source_prior, estimate):.6f}",
        }


def _predictions(folder: Path, test: pd.DataFrame, transfer: Transfer) -> tuple[np.ndarray, np.ndarray]:
    domain = load_domain(folder, test, transfer.labels, transfer.max_length)
    found = answer_all(load_model(folder, test), domain)
    return found.gold.numpy(), found.logits.argmax(dim=1).numpy()


def _estimate(logs: dict[str, pa.Table], labels: Sequence[str]) -> np.ndarray | None:
    """The target's priors as alignment saw them in the end."""
    if "align" not in logs:
        return None
    return np.array([logs["align"].column(f"prior_{label}")[-1].as_py() for label in labels])
