"""How the kernels' time grows with their data: growth.py [KERNEL...] prints a table.

Each kernel runs at four sizes, each twice the one before. The exponent is the slope of the logarithms of time
and size: 1 if time doubles with the size, 2 if it is four times as long. A kernel that compares all words of
two languages with each other needs 2; nothing here may need more than the table's last column says. Times are
of the processor, the least of a few rounds, because others may use the machine.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "workflow/scripts")]
# Libraries read these when they are loaded: one thread, and threads that wait do not spin.
os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"})

import numpy as np  # noqa: E402 (after the variables that it reads)
import pyarrow as pa  # noqa: E402
import torch  # noqa: E402
from transformers import BertConfig, BertModel  # noqa: E402

from xstitch.encoders.contexts import Contexts, CutEncoder, Subwords, make_shards  # noqa: E402
from xstitch.encoders.corpus_words import CorpusWords  # noqa: E402
from xstitch.encoders.distillation import x2static  # noqa: E402
from xstitch.encoders.settings.distillation import DistillSettings  # noqa: E402
from xstitch.spaces.anchors.optimise import optimise_anchors  # noqa: E402
from xstitch.spaces.anchors.problem import SeededSpaces  # noqa: E402
from xstitch.spaces.anchors.sinkhorn import sinkhorn  # noqa: E402
from xstitch.spaces.bli import evaluate_bli  # noqa: E402
from xstitch.spaces.neighbours import to_device  # noqa: E402
from xstitch.spaces.relative import map_rows  # noqa: E402
from xstitch.spaces.self_learning import evaluate, induce  # noqa: E402
from xstitch.spaces.settings.alignment import SelfLearning  # noqa: E402
from xstitch.spaces.settings.relative import RelativeMapping  # noqa: E402
from xstitch.spaces.settings.search import OptimisationSettings, SinkhornSettings  # noqa: E402
from xstitch.training.batches import Ragged  # noqa: E402
from xstitch.vectors.formats.read import read_vectors  # noqa: E402
from xstitch.vectors.formats.text import write_text_vectors  # noqa: E402
from xstitch.vectors.table import Vectors, unit_rows  # noqa: E402

ROUNDS = 3
WIDTH = 100
Prepared = Callable[[], object]


@dataclass(frozen=True)
class Kernel:
    """What grows, from which size on, and the exponent that the work itself has."""

    grows: str
    smallest: int
    exponent: int
    prepare: Callable[[int], Prepared]


def unit_vectors(count: int, seed: int) -> np.ndarray:
    """Draw unit vectors with dimensions of unequal variance: as in real spaces, some words are near many."""
    random = np.random.default_rng(seed)
    return unit_rows((random.normal(size=(count, WIDTH)) / np.sqrt(np.arange(1, WIDTH + 1))).astype("f4"))


def words_of(count: int) -> list[str]:
    """Name words by their numbers."""
    return [f"w{number}" for number in range(count)]


def relative_map(words: int, anchors: int) -> Prepared:
    """Prepare the 50 nearest anchors of every word, and their weighted sum."""
    rows, anchor_rows = unit_vectors(words, 0), unit_vectors(anchors, 1)
    return lambda: map_rows(rows, anchor_rows, anchor_rows, RelativeMapping("softmax", 50, 0.1, False))


def translations(words: int) -> Prepared:
    """Prepare the test of 500 words of two vocabularies, by cosine and CSLS."""
    sides = [Vectors(words_of(words), unit_vectors(words, seed)) for seed in (0, 1)]
    test = pa.table(dict.fromkeys(("source", "target"), words_of(500)))
    return lambda: evaluate_bli(*sides, test)


def learning_round(words: int) -> Prepared:
    """Prepare one of the last iterations of self-learning."""
    source, target = (to_device(unit_vectors(words, seed)) for seed in (0, 1))
    rotation, settings = to_device(np.eye(WIDTH)), SelfLearning()
    return lambda: induce(evaluate(source, target, rotation, settings), 1.0, torch.Generator())


def reading(words: int) -> Prepared:
    """Prepare a text of vectors, to be read."""
    path = Path(tempfile.mkdtemp()) / "v.vec"
    write_text_vectors(Vectors(words_of(words), unit_vectors(words, 0).round(5)), path)
    return lambda: read_vectors(path)


def balancing(words: int) -> Prepared:
    """Prepare one Sinkhorn iteration between two sets of points."""
    rows, columns = (to_device(unit_vectors(words, seed)) for seed in (0, 1))
    return lambda: sinkhorn(rows, columns, SinkhornSettings(iterations=1))


def optimising(words: int) -> Prepared:
    """Prepare two steps of anchor optimisation with 50 anchors, 10 of them known."""
    spaces = SeededSpaces(unit_vectors(words, 0), unit_vectors(words, 1), np.arange(50), np.arange(10))
    return lambda: optimise_anchors(spaces, OptimisationSettings(2, 0.02, SinkhornSettings(), True, 0))


def distilling(sentences: int) -> Prepared:
    """Prepare an epoch of X2Static over sentences of ten words, with a small encoder."""
    vocabulary, length, settings = 2000, 10, DistillSettings(layer=2, threshold=1e-3)
    ids = np.random.default_rng(0).integers(vocabulary, size=(sentences, length))
    text = Ragged(ids.ravel().astype(np.int32), np.arange(0, ids.size + 1, length))
    counts = np.maximum(1, np.bincount(text.values, minlength=vocabulary))
    words = CorpusWords(words_of(vocabulary), counts, text, np.arange(sentences))
    subwords = Subwords(Ragged.from_lists([[1, *(row + 3), 2] for row in ids]), 0)
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    encoder = CutEncoder(BertModel(BertConfig(vocab_size=vocabulary + 3, **sizes)).eval(), settings.layer)
    contexts = Contexts(encoder, subwords, make_shards(words.paragraphs), settings.encoder_batch)
    return lambda: x2static(words, contexts, settings, seed=0)


KERNELS = {
    "relative-map": Kernel("words, 4,000 anchors", 2_500, 1, lambda size: relative_map(size, 4_000)),
    "relative-map-anchors": Kernel("anchors, 4,000 words", 2_500, 1, lambda size: relative_map(4_000, size)),
    "translations": Kernel("words of both sides", 2_500, 2, translations),
    "self-learning": Kernel("words of both sides", 2_500, 2, learning_round),
    "reader": Kernel("words of 100 dimensions", 5_000, 1, reading),
    "sinkhorn": Kernel("points of both sides", 1_000, 2, balancing),
    "anchor-optimisation": Kernel("words of both sides", 1_000, 2, optimising),
    "x2static": Kernel("sentences", 1_000, 1, distilling),
}


def seconds(function: Prepared) -> float:
    """Return the least processor time of a few calls, after one for nothing."""
    function()
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        function()
        times.append(time.process_time() - started)
    return min(times)


def exponent(sizes: list[int], times: list[float]) -> float:
    """Fit the slope of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def table(names: list[str]) -> Iterator[str]:
    """Yield the lines of the table, one kernel at a time."""
    yield "| kernel | what grows | smallest | seconds at 1, 2, 4, 8 times | exponent | of the work |"
    yield "|---|---|---|---|---|---|"
    for name in names:
        kernel = KERNELS[name]
        sizes = [kernel.smallest * 2**step for step in range(4)]
        times = [seconds(kernel.prepare(size)) for size in sizes]
        measured = ", ".join(f"{each:.3f}" for each in times)
        cells = name, kernel.grows, f"{kernel.smallest:,}", measured, f"{exponent(sizes, times):.2f}"
        yield f"| {' | '.join(cells)} | {kernel.exponent} |"


if __name__ == "__main__":
    torch.set_num_threads(1)
    for line in table(sys.argv[1:] or list(KERNELS)):
        print(line, flush=True)
