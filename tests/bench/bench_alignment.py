"""Alignment: one round of self-learning, and CSLS retrieval."""

import numpy as np
import pyarrow as pa
import torch
from bench import Bench

from xstitch.bli import evaluate_bli
from xstitch.retrieval import to_device
from xstitch.selflearning import SelfLearning, evaluate, induce
from xstitch.vectors import Vectors, unit_rows

K = 10


def means_of_best(scores: np.ndarray) -> np.ndarray:
    """Average each row's ten best by ten argmax passes, each striking out what it found."""
    rows, total = np.arange(len(scores)), np.zeros(len(scores), dtype="f4")
    for _ in range(K):
        best = scores.argmax(axis=1)
        total += scores[rows, best]
        scores[rows, best] = -np.inf
    return total / K


def plain_round(x: np.ndarray, z: np.ndarray, keep: float) -> list[np.ndarray]:
    """Hold the full product, in each direction once for the means and once for the dictionary."""
    random, pairs = np.random.default_rng(0), []
    for rows, columns in ((x, z), (z, x)):
        means = means_of_best(columns @ rows.T)
        scores = rows @ columns.T
        scores.max(axis=1)  # the objective
        scores -= means / 2
        if keep < 1:
            scores[random.random(scores.shape, dtype="f4") >= keep] = -np.inf
        pairs.append(scores.argmax(axis=1))
    return pairs


def self_learning(keep: float, dropping: str) -> Bench:
    """Compare one round: CSLS means, objective, dictionary of both directions."""
    random = np.random.default_rng(0)
    x, z = (unit_rows(random.normal(size=(20_000, 100)).astype("f4")) for _ in range(2))
    source, target, rotation = to_device(x), to_device(z), to_device(np.eye(100))
    settings, generator = SelfLearning(), torch.Generator().manual_seed(0)

    def ours() -> np.ndarray:
        return induce(evaluate(source, target, rotation, settings), keep, generator)

    return Bench(
        f"full products both ways in numpy, ten argmax passes for the CSLS means, {dropping}",
        lambda: plain_round(x, z, keep),
        ours,
        rounds=2,
    )


def bench_self_learning_first_rounds() -> Bench:
    """20,000 x 20,000 x 100 with a tenth of the scores kept."""
    return self_learning(0.1, "a random number for every score")


def bench_self_learning_last_rounds() -> Bench:
    """20,000 x 20,000 x 100 with all scores kept."""
    return self_learning(1.0, "nothing dropped")


def bench_csls_retrieval() -> Bench:
    """Test 1,500 of 50,000 words on 22,000."""
    random = np.random.default_rng(0)
    x, z = (unit_rows(random.normal(size=(n, 100)).astype("f4")) for n in (50_000, 22_000))
    source, target = (Vectors([f"w{i}" for i in range(len(side))], side) for side in (x, z))
    test = pa.table(dict.fromkeys(("source", "target"), source.words[:1500]))

    def plain() -> float:
        # Blocks here too: the full product would take 4.4 GB.
        blocks = (z[start : start + 1000] @ x.T for start in range(0, len(z), 1000))
        means = np.concatenate([means_of_best(block) for block in blocks])
        best = np.argsort(-(x[:1500] @ z.T - means / 2), axis=1)[:, :K]
        return float((best == np.arange(1500)[:, None]).any(axis=1).mean())

    return Bench(
        "numpy in blocks, ten argmax passes for the CSLS means, all scores of a query sorted",
        plain,
        lambda: evaluate_bli(source, target, test),
        rounds=2,
    )
