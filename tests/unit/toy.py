"""A toy problem of transfer: texts in three classes, some of whose words are spelled differently."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from tiny import write_trainable

from xstitch.models.classification import finetune_classifier
from xstitch.models.transfer.domains import load_domain, load_model, predict
from xstitch.models.transfer.stages import Stage, adapt
from xstitch.models.transfer.task import Transfer
from xstitch.results.metrics import macro_f1
from xstitch.training.schedule import Schedule

LABELS = ("a", "b", "c")
LENGTH = 16
TRAINING = {"learning_rate": 1e-3, "batch_size": 16, "epochs": 3, "clip": None}
EVEN = [1 / 3] * 3


def texts(seed: int, count: int, prior: Sequence[float], foreign: float = 0.0) -> pd.DataFrame:
    """Make texts of five words, four of them of the text's class; a foreign word has a different spelling."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(3, size=count, p=prior)
    rows = []
    for label in labels:
        classes = [*[label] * 4, rng.integers(3)]
        words = [f"{LABELS[c]}{rng.integers(4)}" for c in classes]
        spelled = [f"x{word}" if rng.random() < foreign else word for word in words]
        rows.append(" ".join(rng.permutation(spelled)))
    return pd.DataFrame({"text": rows, "label": [LABELS[label] for label in labels]})


def make_toy(folder: Path) -> tuple[Path, Transfer]:
    """Make an encoder, a model fine-tuned from it, and data of both languages; the target's is skewed."""
    source, dev = texts(1, 300, EVEN), texts(2, 60, EVEN)
    target = texts(3, 200, [0.7, 0.2, 0.1], foreign=0.35)
    encoder = write_trainable(folder / "encoder", [*source["text"], *target["text"]])
    schedule = Schedule(**{**TRAINING, "epochs": 12}, seed=1)
    finetune_classifier(encoder, source, dev, LABELS, schedule, LENGTH, folder / "model")
    return encoder, Transfer(folder / "model", source, target, LABELS, LENGTH, source_dev=dev)


def predictions(folder: Path, examples: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the true and the predicted labels of examples."""
    return predict(load_model(folder, examples), load_domain(folder, examples, LABELS, LENGTH))


def score(folder: Path, examples: pd.DataFrame) -> float:
    """Return a model's macro-F1."""
    return macro_f1(*predictions(folder, examples), range(3))


def run_stage(
    toy: tuple[Path, Transfer], method: str, folder: Path, adaptation: dict[str, Any], **training: Any
) -> pa.Table:
    """Adapt the toy's model by one method into a folder of its name; return what was logged."""
    stage = Stage(method, adaptation, {**TRAINING, **training}, student=toy[0])
    return adapt(stage, toy[1], 1, folder / method)
