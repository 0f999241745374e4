"""Alignment: one round of self-learning, CSLS retrieval, and a supervised alignment from text to score."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from bench import Bench
from rivals import BLOCK, torch_search

from xstitch.spaces.alignment import align_pair
from xstitch.spaces.bli import evaluate_bli
from xstitch.spaces.neighbours import to_device
from xstitch.spaces.self_learning import evaluate, find_rotation, induce
from xstitch.spaces.settings.alignment import SelfLearning
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.table import Vectors, unit_rows

K, WIDTH = 10, 100
EARLIER = 3  # rounds before the one that is measured: each starts from the neighbours that the last found
VECMAP = os.environ.get("XSTITCH_VECMAP")  # a clone of its authors' program


def make_vectors(random: np.random.Generator, count: int) -> np.ndarray:
    """Draw unit vectors with dimensions of unequal variance: as in real spaces, some words are near many."""
    return unit_rows((random.normal(size=(count, WIDTH)) / np.sqrt(np.arange(1, WIDTH + 1))).astype("f4"))


def torch_round(x: torch.Tensor, z: torch.Tensor, keep: float) -> list[torch.Tensor]:
    """Compute CSLS means, the objective and the dictionary of both directions by torch.topk, in blocks."""
    generator, pairs = torch.Generator().manual_seed(0), []
    means = [torch_search(keys, queries, K)[0].mean(dim=1) for queries, keys in ((x, z), (z, x))]
    for queries, keys, mean in ((x, z, means[0]), (z, x, means[1])):
        for block in queries.split(BLOCK):
            scores = block @ keys.T
            scores.amax(dim=1)  # the objective
            scores -= mean / 2
            if keep < 1:
                scores *= torch.empty_like(scores).bernoulli_(keep, generator=generator)
            pairs.append(scores.argmax(dim=1))
    return pairs


def self_learning(keep: float) -> Bench:
    """Compare one round after a few others: CSLS means, objective, dictionary of both directions."""
    random, words = np.random.default_rng(0), 20_000
    x, z = (make_vectors(random, words) for _ in range(2))
    source, target, rotation = to_device(x), to_device(z), to_device(np.eye(WIDTH))
    settings, generator = SelfLearning(), torch.Generator().manual_seed(0)
    before = evaluate(source, target, rotation, settings)
    for _ in range(EARLIER):
        rotation = find_rotation(source, target, induce(before, keep, generator))
        before, last = evaluate(source, target, rotation, settings, before.near), before

    def ours() -> np.ndarray:
        return induce(evaluate(source, target, rotation, settings, last.near), keep, generator)

    others = {"torch.topk": lambda: torch_round(source @ rotation, target, keep)}
    return Bench(ours, others, words, "words", operations=2 * words * words * WIDTH)


def bench_self_learning_first_rounds() -> Bench:
    """20,000 x 20,000 x 100 with a tenth of the scores kept; one product serves both directions."""
    return self_learning(0.1)


def bench_self_learning_last_rounds() -> Bench:
    """20,000 x 20,000 x 100 with all scores kept; one product serves both directions."""
    return self_learning(1.0)


def bench_csls_retrieval() -> Bench:
    """Test 1,500 of 20,000 words on 20,000."""
    random, words, tested = np.random.default_rng(0), 20_000, 1500
    x, z = (make_vectors(random, words) for _ in range(2))
    source, target = (Vectors([f"w{i}" for i in range(words)], side) for side in (x, z))
    test = pa.table(dict.fromkeys(("source", "target"), source.words[:tested]))

    def by_torch() -> float:
        left, right = torch.from_numpy(x), torch.from_numpy(z)
        own = torch_search(left[:tested], right, K)[0].mean(dim=1)
        other = torch_search(right, left, K)[0].mean(dim=1)
        scores = 2 * left[:tested] @ right.T - own[:, None] - other
        return float((scores.argmax(dim=1) == torch.arange(tested)).float().mean())

    return Bench(
        lambda: evaluate_bli(source, target, test),
        {"torch.topk": by_torch},
        tested,
        "queries",
        operations=2 * words * words * WIDTH,
    )


def bench_supervised_alignment() -> Bench:
    """Two texts of 20,000 words and 5,000 pairs to precision by CSLS, beside VecMap if it is there."""
    folder, words = Path(tempfile.mkdtemp()), 20_000
    random = np.random.default_rng(0)
    source = make_vectors(random, words)
    turned = source @ np.linalg.qr(random.normal(size=(WIDTH, WIDTH)))[0]
    target = unit_rows((turned + 0.05 * random.normal(size=turned.shape)).astype("f4"))
    files = [folder / "source.vec", folder / "target.vec"]
    for file, matrix in zip(files, (source, target), strict=True):
        lines = (f"w{i} {' '.join(f'{value:.5f}' for value in row)}\n" for i, row in enumerate(matrix))
        file.write_text(f"{words} {WIDTH}\n{''.join(lines)}")
    pairs = [[f"w{i}" for i in range(start, start + number)] for start, number in ((0, 5000), (5000, 1500))]
    train, test = (pa.table({"source": names, "target": names}) for names in pairs)

    def ours() -> None:
        left, right = map(read_vectors, files)
        aligned = align_pair(left, right, train, {"method": "supervised"}, seed=0)
        evaluate_bli(Vectors(left.words, aligned.source), Vectors(right.words, aligned.target), test)

    others = {"VecMap's program": lambda: _run_vecmap(folder, files, pairs)} if VECMAP else {}
    return Bench(ours, others, words, "words")


def _run_vecmap(folder: Path, files: list[Path], pairs: list[list[str]]) -> None:
    """Align and evaluate by the programs of VecMap's authors."""
    dictionaries = [folder / "train.txt", folder / "test.txt"]
    for file, names in zip(dictionaries, pairs, strict=True):
        file.write_text("".join(f"{name} {name}\n" for name in names))
    mapped = [str(file.with_suffix(".mapped")) for file in files]
    program = [sys.executable, f"{VECMAP}/map_embeddings.py", "--supervised", str(dictionaries[0])]
    subprocess.run([*program, *map(str, files), *mapped], check=True, capture_output=True)
    program = [sys.executable, f"{VECMAP}/eval_translation.py", *mapped, "-d", str(dictionaries[1])]
    subprocess.run([*program, "--retrieval", "csls"], check=True, capture_output=True)
