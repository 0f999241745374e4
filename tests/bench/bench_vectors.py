"""Word vectors: text to npz, and relative representations."""

import csv
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from bench import Bench
from gensim.models import KeyedVectors
from rivals import Search, searches, unit

from xstitch.spaces.relative import map_rows
from xstitch.spaces.settings.relative import RelativeMapping
from xstitch.vectors.formats.read import read_vectors

WORDS, WIDTH = 50_000, 100
NEAREST, TEMPERATURE = 50, 0.1


def write_text_vectors(path: Path) -> None:
    """Write words with five decimals a number, as word2vec text."""
    matrix = np.random.default_rng(0).normal(size=(WORDS, WIDTH))
    with path.open("w") as stream:
        stream.write(f"{WORDS} {WIDTH}\n")
        stream.writelines(f"w{i} {' '.join(f'{x:.5f}' for x in row)}\n" for i, row in enumerate(matrix))


def bench_text_to_npz() -> Bench:
    """Read 50,000 words of 100 dimensions from text and save them as npz."""
    folder = Path(tempfile.mkdtemp())
    text, saved = folder / "v.vec", folder / "v.npz"
    write_text_vectors(text)

    def by_pandas() -> None:
        types = {0: "string", **dict.fromkeys(range(1, WIDTH + 1), "f4")}
        table = pd.read_csv(
            text, sep=" ", skiprows=1, header=None, quoting=csv.QUOTE_NONE, dtype=types, na_filter=False
        )
        np.savez(saved, matrix=table.iloc[:, 1:].to_numpy(), words=table[0].to_numpy(dtype=str))

    def by_gensim() -> None:
        table = KeyedVectors.load_word2vec_format(str(text))
        np.savez(saved, matrix=table.vectors, words=np.array(table.index_to_key))

    others = {"pandas": by_pandas, "gensim": by_gensim}
    return Bench(lambda: read_vectors(text).save(saved), others, WORDS, "words")


def bench_relative_representations() -> Bench:
    """Top-50 of 12,000 anchors for 20,000 words of 300 dimensions, and their weighted sums."""
    random = np.random.default_rng(0)
    rows, anchors = (random.normal(size=(n, 300)).astype("f4") for n in (20_000, 12_000))
    basis = random.normal(size=(12_000, 256)).astype("f4")
    settings = RelativeMapping("softmax", NEAREST, TEMPERATURE, False)
    others = {name: partial(_represent, search, rows, anchors, basis) for name, search in searches().items()}
    operations = 2 * 20_000 * 12_000 * 300
    return Bench(lambda: map_rows(rows, anchors, basis, settings), others, 20_000, "words", operations)


def _represent(search: Search, rows: np.ndarray, anchors: np.ndarray, basis: np.ndarray) -> torch.Tensor:
    values, places = search(unit(rows), unit(anchors), NEAREST)
    weights = torch.softmax(values / TEMPERATURE, dim=1)
    return torch.nn.functional.embedding_bag(
        places, torch.from_numpy(basis), per_sample_weights=weights, mode="sum"
    )
