"""What bf16 on a processor changes in the scores of a real task.

    PYTHONPATH=workflow/scripts python tests/bench/bf16_scores.py TAXI1500 ENCODER [EPOCHS] [SEED ...]

TAXI1500 is the folder with eng_train.tsv, eng_dev.tsv and eng_test.tsv, ENCODER a transformers folder. The
same batches in the same order are trained on in float32 and in bf16; it prints macro-F1 on development and
test verses, their difference, and the processor's seconds.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="PASSIVE")  # before torch is loaded

import numpy as np
import pandas as pd

from xstitch.models.classification import finetune_classifier, predict_labels
from xstitch.results.metrics import macro_f1
from xstitch.sources.tasks.taxi1500 import LABELS, read_labelled
from xstitch.training.schedule import Schedule

LENGTH = 100


def main(data: Path, encoder: Path, epochs: int, seeds: list[int]) -> None:
    """Print a line for every seed and precision."""
    train, dev, test = (_table(data / f"eng_{split}.tsv") for split in ("train", "dev", "test"))
    for seed in seeds:
        scores = {}
        for bf16 in (False, True):
            schedule = Schedule(learning_rate=5e-5, epochs=epochs, batch_size=32, seed=seed, bf16=bf16)
            model, started = Path(tempfile.mkdtemp()) / "model", time.process_time()
            finetune_classifier(encoder, train, dev, LABELS, schedule, LENGTH, model)
            seconds = time.process_time() - started
            scores[bf16] = [_score(model, split) for split in (dev, test)]
            name = "bf16" if bf16 else "float32"
            f1 = "dev {:.3f} test {:.3f}".format(*scores[bf16])
            print(f"seed {seed} {name}: {f1}, {seconds:.0f} s", flush=True)
        dev_gain, test_gain = np.subtract(scores[True], scores[False])
        print(f"seed {seed} difference: dev {dev_gain:+.3f} test {test_gain:+.3f}", flush=True)


def _table(file: Path) -> pd.DataFrame:
    return pd.DataFrame([{"text": row.text, "label": row.label} for row in read_labelled(file)])


def _score(model: Path, rows: pd.DataFrame) -> float:
    return macro_f1(rows["label"], predict_labels(model, rows["text"], LENGTH).labels, LABELS)


if __name__ == "__main__":
    folder, weights, passes, *numbers = [*sys.argv[1:], *["3"] * (len(sys.argv) == 3)]
    main(Path(folder), Path(weights), int(passes), [int(number) for number in numbers] or [1, 2, 3])
