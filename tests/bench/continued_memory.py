"""The memory that continued pre-training takes to read its words, by the number of languages.

    PYTHONPATH=workflow/scripts python tests/bench/continued_memory.py [WORDS] [DIMENSIONS]

Aligned vectors of the paper's size (200,000 words, 768 dimensions unless given) are made once and read as
those of 2, 4 and 8 languages, each in a process of its own.
"""

import os
import resource
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # before torch is loaded

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from xstitch.encoders.continued import join_spaces, read_vocabulary
from xstitch.spaces.aligned import Sides, load_aligned, save_aligned
from xstitch.vectors.table import Vectors

LANGUAGES = (2, 4, 8)
ALL = 40  # of x2s, whose vectors would take 23 GB of the disk here


def main(words: int = 200_000, dimensions: int = 768) -> None:
    """Print the peak for each number of languages, and how much one more language adds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pair(folder / "pair.npz", words, dimensions)
        peaks = [peak_of(folder, number) for number in LANGUAGES]
    for number, peak in zip(LANGUAGES, peaks, strict=True):
        print(f"{number} languages: {peak:,.0f} MB")
    growth = (peaks[-1] - peaks[0]) / (LANGUAGES[-1] - LANGUAGES[0])
    size = words * dimensions * 4 / 2**20
    print(f"each further language: {growth:,.0f} MB, where its vectors take {size:,.0f}")
    print(f"{ALL} languages, at this rate: {peaks[-1] + (ALL - LANGUAGES[-1]) * growth:,.0f} MB")


def write_pair(path: Path, words: int, dimensions: int) -> None:
    """Write two aligned spaces of random vectors."""
    random = np.random.default_rng(0)
    names = [f"w{number}" for number in range(words)]
    sides = (Vectors(names, random.standard_normal((words, dimensions), dtype=np.float32)) for _ in range(2))
    save_aligned(Sides(*sides), path)


def peak_of(folder: Path, number: int) -> float:
    """Return the peak memory, in MB, of a new process that reads the words of some languages."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(read, (folder, number))


def read(folder: Path, number: int) -> float:
    """Read the words of some languages as continued pre-training does."""
    letters = {letter: row for row, letter in enumerate("w0123456789")}
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 11, "[PAD]": 12} | letters, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]")
    pairs = ((f"language {row}", load_aligned(folder / "pair.npz")) for row in range(number))
    read_vocabulary(join_spaces("source", pairs), wrapped, 200_000, folder)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
