"""word2vec vectors trained on a corpus: whole words, without subwords."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gensim.models import Word2Vec

from xstitch.core.errors import InputError
from xstitch.vectors.table import Vectors


def train_word2vec(sentences: Iterable[str], settings: Mapping[str, Any], seed: int) -> Vectors:
    """Train skip-gram vectors on tokenised sentences, lower-cased as for fastText.

    One worker: threads race on the matrix, and a second run would give other vectors.
    """
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "corpus.txt"  # gensim reads a file without making Python lists of it
        with text.open("w", encoding="utf-8") as stream:
            for sentence in sentences:
                stream.write(sentence.lower() + "\n")
        try:
            model = Word2Vec(
                corpus_file=str(text),
                vector_size=settings["dimensions"],
                epochs=settings["epochs"],
                min_count=settings["min_count"],
                alpha=settings["learning_rate"],
                window=settings["window"],
                negative=settings["negatives"],
                sg=1,
                workers=1,
                seed=seed,
            )
        except RuntimeError as problem:  # what gensim raises for an empty vocabulary
            raise InputError(
                f"no word of the corpus occurs {settings['min_count']} times: lower min_count or add text"
            ) from problem
    return Vectors(model.wv.index_to_key, model.wv.vectors)
