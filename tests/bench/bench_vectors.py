"""Word vectors: text to npz, reloading, and relative representations."""

import tempfile
from pathlib import Path

import numpy as np
from bench import Bench
from gensim.models import KeyedVectors

from xstitch.spaces.relative import map_rows, softmax_weights
from xstitch.spaces.settings.relative import RelativeMapping
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.table import Vectors, unit_rows


def random_text_vectors(path: Path) -> None:
    """Write 20,000 words of 100 dimensions, with five decimals, as word2vec text."""
    matrix = np.random.default_rng(0).normal(size=(20_000, 100))
    with path.open("w") as stream:
        stream.write("20000 100\n")
        stream.writelines(f"w{i} {' '.join(f'{x:.5f}' for x in row)}\n" for i, row in enumerate(matrix))


def bench_text_to_npz() -> Bench:
    """Read downloaded text and save it as npz."""
    folder = Path(tempfile.mkdtemp())
    random_text_vectors(folder / "v.vec")
    return Bench(
        "gensim's load_word2vec_format, which only reads the text (ours also writes the npz)",
        lambda: KeyedVectors.load_word2vec_format(str(folder / "v.vec")),
        lambda: read_vectors(folder / "v.vec").save(folder / "v.npz"),
        rounds=3,
    )


def bench_npz_reload() -> Bench:
    """Vectors are parsed from text once; every later job reads npz."""
    folder = Path(tempfile.mkdtemp())
    random_text_vectors(folder / "v.vec")
    read_vectors(folder / "v.vec").save(folder / "v.npz")
    return Bench(
        "gensim's load_word2vec_format on the text again",
        lambda: KeyedVectors.load_word2vec_format(str(folder / "v.vec")),
        lambda: Vectors.load(folder / "v.npz"),
        rounds=3,
    )


def bench_relative_representations() -> Bench:
    """Top-50 of 12,000 anchors for 200,000 words of 300 dimensions; plain maps a tenth of them."""
    random = np.random.default_rng(0)
    rows, anchors = (random.normal(size=(n, 300)).astype("f4") for n in (200_000, 12_000))
    basis = random.normal(size=(12_000, 256)).astype("f4")
    settings = RelativeMapping("softmax", 50, 0.1, False)
    some = rows[: len(rows) // 10]  # 20,000 x 12,000 cosines and their order take 3 GB; more would not fit

    def plain() -> np.ndarray:
        similarities = unit_rows(some) @ unit_rows(anchors).T
        nearest = np.argpartition(-similarities, 50, axis=1)[:, :50]
        weights = softmax_weights(np.take_along_axis(similarities, nearest, axis=1) / 0.1)
        return np.stack([w @ basis[n] for w, n in zip(weights, nearest, strict=True)])

    return Bench(
        "the whole matrix for a tenth of the words, each row partitioned, seconds times ten",
        plain,
        lambda: map_rows(rows, anchors, basis, settings),
        rounds=1,
        share=0.1,
    )
