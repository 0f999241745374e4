"""How much self-training loses if a round reads only a share of the target's examples.

Every round, all examples are also read with the current model, and the round's choice is compared with the
one that the whole pool would have given.

    python tests/bench/reread_sureness.py results zero-shot/marc/qaa/seed1 marc qaa qab
"""

import argparse
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[2] / "workflow/scripts"))
from xstitch.models.settings.transfer import SelfTrainingSettings
from xstitch.models.transfer import self_training
from xstitch.models.transfer.domains import load_domain, load_model, predict
from xstitch.models.transfer.sureness import Pool, choose_sure
from xstitch.models.transfer.task import Transfer
from xstitch.results.metrics import macro_f1
from xstitch.training.schedule import Schedule

SHARES = (1.0, 0.1, 0.2, 0.05)


MADE: list[Pool] = []


class Compared(Pool):
    """A pool that also knows what reading everything would choose."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.found, self.texts = [], 0
        MADE.append(self)

    def choose(self):
        self.texts += len(self.due())
        rows, labels = super().choose()
        if self.budget < self.size:
            everything, _ = self.read(np.arange(self.size))
            exact = choose_sure(everything, self.number)
            self.found.append(np.isin(exact, rows).mean())
        else:
            self.found.append(1.0)
        return rows, labels


def main():
    """Print a row for every share and seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    for name in ("model", "task", "source", "target"):
        parser.add_argument(name)
    parser.add_argument("--share", type=float, default=0.02)
    parser.add_argument("--learning-rate", type=float, default=2e-4)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--max-length", type=int, default=128)
    given = parser.parse_args()

    def read(lang, split):
        return pd.read_parquet(given.results / "tasks" / given.task / lang / f"{split}.parquet")

    model = given.results / "models" / given.model
    source, target, test = (
        read(given.source, "train"),
        read(given.target, "train"),
        read(given.target, "test"),
    )
    config = load_model(model, source).config
    labels = [config.id2label[number] for number in range(config.num_labels)]
    transfer = Transfer(model, source, target, labels, given.max_length)

    def score(folder):
        return macro_f1(
            *predict(load_model(folder, test), load_domain(folder, test, labels, transfer.max_length)),
            range(len(labels)),
        )

    print(f"zero-shot macro-F1 {score(model):.4f}")
    print("reread\tseed\trounds\ttexts read\tof the exact choice: mean\tworst round\tmacro-F1")
    for reread in SHARES:
        if reread < 2 * given.share:
            continue
        for seed in range(1, given.seeds + 1):
            schedule = Schedule(
                learning_rate=given.learning_rate,
                batch_size=given.batch_size,
                epochs=given.epochs,
                seed=seed,
            )
            with mock.patch.object(self_training, "Pool", Compared), tempfile.TemporaryDirectory() as folder:
                settings = SelfTrainingSettings(given.share, reread)
                self_training.self_train(transfer, settings, schedule, Path(folder) / "model")
                pool, result = MADE.pop(), score(Path(folder) / "model")
            found = pool.found
            print(
                f"{reread}\t{seed}\t{len(found)}\t{pool.texts}\t{np.mean(found):.3f}\t{min(found):.3f}"
                f"\t{result:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
