"""Shifts and performance of a model on samples of a target language, as records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from xstitch.models.transfer.sampling import class_counts, draw_samples
from xstitch.models.transfer.shifts import conditional_shift, measure, total_variation

if TYPE_CHECKING:
    import pandas as pd


def shift_records(
    model: Path,
    source: pd.DataFrame,
    target: pd.DataFrame,
    labels: Sequence[str],
    max_length: int,
    source_prior: np.ndarray,
    sets: int,
    size: int,
    seed: int,
    place: Mapping[str, str],
) -> Iterator[dict[str, str]]:
    """Yield a record a sample, pooling and layer; layer 0 are the embeddings, the last one the features."""
    _, whole = measure(model, source, labels, max_length, [np.arange(len(source))])
    # Of a small language half is drawn at most: larger samples would be nearly one and the same.
    most = len(target) if sets == 1 else max(1, len(target) // 2)
    samples = draw_samples(class_counts(target, labels), sets, min(size, most), seed)
    domain, measured = measure(model, target, labels, max_length, samples)
    for number, rows in enumerate(samples):
        items = domain.items_of(rows)
        score = measured.score(items, len(labels))
        shift = total_variation(measured.prior(items, len(labels)), source_prior)
        for pooling, sums in measured.sums.items():
            for layer, value in enumerate(conditional_shift(whole.sums[pooling][0], sums[number])):
                yield {
                    **place,
                    "sample": str(number),
                    "prior_shift": f"{shift:.6f}",
                    "macro_f1": f"{score:.6f}",
                    "pooling": pooling,
                    "layer": str(layer),
                    "feature_shift": f"{value:.6f}",
                }
