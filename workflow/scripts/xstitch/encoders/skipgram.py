"""Skip-gram vectors of token ids, the same in every process."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from gensim.models import Word2Vec

from xstitch.training.batches import Ragged


def train_skipgram(
    ids: Ragged, width: int, window: int, epochs: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Train on sequences framed by two special tokens; return the ids between these and their vectors."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ids.txt"  # gensim reads a file without making Python lists of it
        with path.open("w", encoding="ascii") as stream:
            for start, end in zip(ids.offsets[:-1], ids.offsets[1:], strict=True):
                stream.write(" ".join(map(str, ids.values[start + 1 : end - 1].tolist())) + "\n")
        # One worker and a hash that ignores PYTHONHASHSEED: the same vectors in every process.
        model = Word2Vec(
            corpus_file=str(path),
            vector_size=width,
            window=window,
            epochs=epochs,
            sg=1,
            min_count=1,
            workers=1,
            seed=seed,
            hashfxn=int,
        )
    return np.array([int(key) for key in model.wv.index_to_key]), model.wv.vectors
