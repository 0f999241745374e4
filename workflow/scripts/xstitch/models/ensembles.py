"""Several classifiers that answer together: the mean of their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.files import read_json
from xstitch.models.classification import Predictions, predict_labels


def predict_together(folders: Sequence[Path], texts: Sequence[str], max_length: int) -> Predictions:
    """Classify texts by the mean of the models' probabilities; of equal means, the first label wins."""
    labels = _labels(folders[0])
    for folder in folders[1:]:
        if _labels(folder) != labels:
            raise InputError(f"{folder}: has other labels than {folders[0]}; models must agree on them")
    mean = np.mean([predict_labels(folder, texts, max_length).probabilities for folder in folders], axis=0)
    return Predictions([labels[number] for number in mean.argmax(axis=1)], mean)


def _labels(folder: Path) -> list[str]:
    names = read_json(folder / "config.json")["id2label"]
    return [names[str(number)] for number in range(len(names))]
