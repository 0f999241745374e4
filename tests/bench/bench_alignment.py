"""Alignment: one round of self-learning, and CSLS retrieval."""

import numpy as np
import pyarrow as pa
import torch
from bench import Bench

from xstitch.spaces.bli import evaluate_bli
from xstitch.spaces.neighbours import to_device
from xstitch.spaces.self_learning import evaluate, induce
from xstitch.spaces.settings.alignment import SelfLearning
from xstitch.vectors.table import Vectors, unit_rows

K = 10
BATCH = 10_000  # rows of the product that VecMap's own program keeps in memory


def make_vectors(random: np.random.Generator, count: int) -> np.ndarray:
    """Draw unit vectors with dimensions of unequal variance: as in real spaces, some words are near many."""
    return unit_rows((random.normal(size=(count, 100)) / np.sqrt(np.arange(1, 101))).astype("f4"))


def means_of_best(scores: np.ndarray) -> np.ndarray:
    """Average each row's ten best by ten argmax passes, each removing what it found."""
    rows, total, lowest = np.arange(len(scores)), np.zeros(len(scores), dtype="f4"), scores.min()
    for _ in range(K):
        best = scores.argmax(axis=1)
        total += scores[rows, best]
        scores[rows, best] = lowest
    return total / K


def plain_round(x: np.ndarray, z: np.ndarray, keep: float) -> list[np.ndarray]:
    """Multiply in each direction once for the means and once for the dictionary, as the authors do."""
    random, pairs = np.random.default_rng(0), []
    buffer = np.empty((BATCH, len(x)), dtype="f4")
    batches = [slice(start, start + BATCH) for start in range(0, len(x), BATCH)]
    for rows, columns in ((x, z), (z, x)):
        means = np.concatenate([means_of_best(np.dot(columns[b], rows.T, out=buffer)) for b in batches])
        for batch in batches:
            scores = np.dot(rows[batch], columns.T, out=buffer)
            scores.max(axis=1)  # the objective
            scores -= means / 2
            if keep < 1:
                scores = scores * (random.random(scores.shape) < keep)
            pairs.append(scores.argmax(axis=1))
    return pairs


def self_learning(keep: float, dropping: str) -> Bench:
    """Compare one round: CSLS means, objective, dictionary of both directions."""
    random = np.random.default_rng(0)
    x, z = (make_vectors(random, 20_000) for _ in range(2))
    source, target, rotation = to_device(x), to_device(z), to_device(np.eye(100))
    settings, generator = SelfLearning(), torch.Generator().manual_seed(0)

    def ours() -> np.ndarray:
        return induce(evaluate(source, target, rotation, settings), keep, generator)

    return Bench(
        f"full products both ways in numpy, ten argmax passes for the CSLS means, {dropping}",
        lambda: plain_round(x, z, keep),
        ours,
        rounds=3,
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
    x, z = (make_vectors(random, count) for count in (50_000, 22_000))
    source, target = (Vectors([f"w{i}" for i in range(len(side))], side) for side in (x, z))
    test = pa.table(dict.fromkeys(("source", "target"), source.words[:1500]))

    def all_means(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        # In blocks, too: the full product would take 4.4 GB.
        blocks = (rows[start : start + 1000] @ columns.T for start in range(0, len(rows), 1000))
        return np.concatenate([means_of_best(block) for block in blocks])

    def plain() -> float:
        scores = 2 * x[:1500] @ z.T - all_means(x, z)[:1500, None] - all_means(z, x)
        return float((scores.argmax(axis=1) == np.arange(1500)).mean())

    return Bench(
        "numpy in blocks, CSLS means of both vocabularies by ten argmax passes, the best word of each query",
        plain,
        lambda: evaluate_bli(source, target, test),
        rounds=3,
    )
