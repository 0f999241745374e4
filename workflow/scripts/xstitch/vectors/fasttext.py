"""fastText vectors trained on a corpus."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import fasttext
import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.vectors.table import Vectors


def train_fasttext(sentences: Iterable[str], settings: Mapping[str, Any]) -> Vectors:
    """Train skip-gram vectors with subwords on tokenised sentences, lower-cased like the wiki vectors.

    One thread: fastText's threads race on the matrix, and a second run would give other vectors. There is no
    seed, because its random numbers start from a constant.
    """
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "corpus.txt"
        with text.open("w", encoding="utf-8") as stream:
            for sentence in sentences:
                stream.write(sentence.lower() + "\n")
        if not text.stat().st_size:
            raise InputError("the corpus has no sentences to train vectors on; add text")
        model = fasttext.train_unsupervised(
            str(text),
            model="skipgram",
            dim=settings["dimensions"],
            epoch=settings["epochs"],
            minCount=settings["min_count"],
            bucket=settings["buckets"],
            lr=settings["learning_rate"],
            ws=settings["window"],
            neg=settings["negatives"],
            thread=1,
            verbose=1,
        )
    # fastText adds an end-of-sentence entry, which is not a word of the language.
    words = [word for word in model.words if word != "</s>"]
    return Vectors(
        words,
        np.stack(
            [model.get_word_vector(word) for word in progress(words, "collecting vectors", unit="word")]
        ),
    )
