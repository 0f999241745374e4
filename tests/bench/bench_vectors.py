"""Word vectors: text, binary files and npz; and relative representations."""

import csv
import tempfile
from functools import partial
from pathlib import Path

import fasttext
import numpy as np
import pandas as pd
import torch
from bench import Bench
from gensim.models import KeyedVectors
from gensim.models.fasttext import load_facebook_vectors
from rivals import Search, searches, unit

from xstitch.spaces.relative import map_rows
from xstitch.spaces.settings.relative import RelativeMapping
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.table import Vectors

WORDS, FEW_WORDS, WIDTH = 50_000, 5_000, 100
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


def bench_word2vec_binary() -> Bench:
    """Read 50,000 words of 100 dimensions from word2vec's binary format."""
    path = Path(tempfile.mkdtemp()) / "v.bin"
    matrix = np.random.default_rng(0).normal(size=(WORDS, WIDTH)).astype("<f4")
    with path.open("wb") as stream:
        stream.write(b"%d %d\n" % (WORDS, WIDTH))
        stream.writelines(b"w%d %b\n" % (i, row.tobytes()) for i, row in enumerate(matrix))
    others = {"gensim": lambda: KeyedVectors.load_word2vec_format(str(path), binary=True)}
    return Bench(lambda: read_vectors(path), others, WORDS, "words")


def bench_fasttext_model() -> Bench:
    """Read all words' vectors, with their n-grams', of a fastText model of 5,000 words."""
    folder, random = Path(tempfile.mkdtemp()), np.random.default_rng(0)
    text, path = folder / "text", str(folder / "v.bin")
    text.write_text("".join(" ".join(f"word{n}" for n in row) + "\n" for row in _draw_words(random)))
    settings = {"dim": WIDTH, "epoch": 1, "minCount": 1, "bucket": 50_000, "thread": 1, "verbose": 0}
    fasttext.train_unsupervised(str(text), **settings).save_model(path)

    def by_fasttext() -> np.ndarray:
        model = fasttext.load_model(path)
        return np.stack([model.get_word_vector(word) for word in model.words])

    others = {"fasttext": by_fasttext, "gensim": lambda: load_facebook_vectors(path).vectors}
    return Bench(lambda: read_vectors(path), others, FEW_WORDS, "words")


def bench_npz() -> Bench:
    """Read 50,000 words of 100 dimensions as we save them, and as numpy saves an array of texts."""
    folder, random = Path(tempfile.mkdtemp()), np.random.default_rng(0)
    saved, plain = folder / "v.npz", folder / "plain.npz"
    words, matrix = [f"w{i}" for i in range(WORDS)], random.normal(size=(WORDS, WIDTH)).astype("f4")
    Vectors(words, matrix).save(saved)
    np.savez(plain, matrix=matrix, words=np.array(words))

    def by_numpy() -> tuple[np.ndarray, list[str]]:
        with np.load(plain) as arrays:
            return arrays["matrix"], arrays["words"].tolist()

    return Bench(lambda: Vectors.load(saved), {"numpy": by_numpy}, WORDS, "words")


def _draw_words(random: np.random.Generator) -> np.ndarray:
    """Draw sentences of 20 words that have every word at least once."""
    more = random.integers(FEW_WORDS, size=3 * FEW_WORDS)
    return np.concatenate([np.arange(FEW_WORDS), more]).reshape(-1, 20)


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
