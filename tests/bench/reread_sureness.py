"""How much self-training loses if a round reads only a share of the target's examples.

`python tests/bench/reread_sureness.py results marc qaa qab 128` needs the fine-tuned model `zero-shot` of the
first seed and both languages' texts. It prints the table of docs/methods/self-training.md: along a run
that reads all in every round, how much of the exact choice other ways to read would have found. Then it
trains with some shares and prints how well the models do.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # before torch is loaded

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[2] / "workflow/scripts"))

from xstitch.models.settings.transfer import SelfTrainingSettings
from xstitch.models.transfer import self_training, sureness
from xstitch.models.transfer.domains import load_domain, load_model, predict
from xstitch.models.transfer.sureness import Pool, choose_sure
from xstitch.models.transfer.task import Transfer
from xstitch.results.metrics import macro_f1
from xstitch.training.schedule import Schedule

SHARE = 0.02  # of the examples that a round takes
TRAINING = {"learning_rate": 2e-4, "batch_size": 32, "epochs": 4}  # the mini world's
REREAD = (0.2, 0.1, 0.05)
PARTS = (0.5, 0.75, 1.0)  # of what is read that are the surest when last read; the library takes half
EVERY = (5, 10)  # rounds between which nothing is read


class Split(Pool):
    """A pool with another part of the surest among what it reads."""

    part = 0.5

    def due(self) -> np.ndarray:
        """Choose as the library does, but for the part."""
        if self.part == 0.5 or self.round == 0:
            return super().due()
        number = int(self.budget * self.part)
        surest = sureness._surest(self.predicted, self.sureness, self.classes, number)
        order = self.last_read * self.size + self.turns
        order[surest] = order.max() + 1
        others = np.argsort(order)[: self.budget - len(surest)]
        return np.sort(np.concatenate([surest, others]))


def self_train(transfer: Transfer, reread: float, output: Path, seed: int) -> list[np.ndarray]:
    """Train a model; return the probabilities that every round read."""
    answers: list[np.ndarray] = []
    read = sureness.read_sureness

    def noted(*arguments: object) -> tuple[np.ndarray, np.ndarray]:
        found = read(*arguments)
        answers.append(found[0])
        return found

    with mock.patch.object(self_training, "read_sureness", noted):
        settings = SelfTrainingSettings(SHARE, reread)
        self_training.self_train(transfer, settings, Schedule(**TRAINING, seed=seed), output)
    return answers


def found_by(answers: list[np.ndarray], exact: list[np.ndarray], reread: float, part: float) -> list[float]:
    """Replay an exact run; return the number of texts read, and the shares found on average and at worst."""
    read: list[int] = []

    def recall(rows: np.ndarray) -> tuple[np.ndarray, None]:
        read.append(len(rows))
        return answers[len(read) - 1][rows], None

    pool = Split(recall, len(answers[0]), SelfTrainingSettings(SHARE, reread), 1)
    pool.part = part
    found = [np.isin(choice, pool.choose()[0]).mean() for choice in exact]
    return [sum(read), np.mean(found), min(found)]


def rows(answers: list[np.ndarray]) -> Iterator[tuple[str, list[float]]]:
    """Compare ways to read with the exact one."""
    size = len(answers[0])
    exact = [choose_sure(probabilities, max(1, round(SHARE * size))) for probabilities in answers]
    for reread in REREAD:
        for part in PARTS:
            yield f"{reread}, {part} of it the surest", found_by(answers, exact, reread, part)
    for every in EVERY:
        found = [np.isin(choice, exact[n - n % every]).mean() for n, choice in enumerate(exact)]
        read = size * -(-len(answers) // every)
        yield f"all, every {every} rounds", [read, np.mean(found), min(found)]


def scorer(transfer: Transfer, test: pd.DataFrame) -> Callable[[Path], float]:
    """Make the function that returns a model's macro-F1 on test texts."""

    def score(folder: Path) -> float:
        domain = load_domain(folder, test, transfer.labels, transfer.max_length)
        return macro_f1(*predict(load_model(folder, test), domain), range(len(transfer.labels)))

    return score


def main() -> None:
    """Print what is found, then how well models do."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    for name in ("task", "source", "target"):
        parser.add_argument(name)
    parser.add_argument("max_length", type=int)
    parser.add_argument("--seeds", type=int, default=2, help="of the models; 0: none")
    given = parser.parse_args()
    folder = given.results / "tasks" / given.task
    sides = [pd.read_parquet(folder / lang / "train.parquet") for lang in (given.source, given.target)]
    model = given.results / f"models/zero-shot/{given.task}/{given.source}/seed1"
    config = load_model(model, sides[0]).config
    labels = [config.id2label[number] for number in range(config.num_labels)]
    transfer = Transfer(model, *sides, labels, given.max_length)
    with tempfile.TemporaryDirectory() as place:
        answers = self_train(transfer, 1.0, Path(place) / "model", 1)
        for name, (read, mean, worst) in rows(answers):
            print(f"{name}\t{read:.0f} of {len(answers) * len(answers[0])} read\t{mean:.3f}\t{worst:.3f}")
        score = scorer(transfer, pd.read_parquet(folder / given.target / "test.parquet"))
        print(f"macro-F1 before\t{score(model):.4f}")
        for reread in (1.0, *REREAD):
            for seed in range(1, given.seeds + 1):
                self_train(transfer, reread, Path(place) / "model", seed)
                print(f"reread {reread}, seed {seed}\t{score(Path(place) / 'model'):.4f}", flush=True)


if __name__ == "__main__":
    main()
