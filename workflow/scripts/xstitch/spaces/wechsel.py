"""WECHSEL's rows: a target word as the softmax-weighted mean of its nearest source words' embeddings.

Both languages' static vectors are aligned in one space, where neighbours are found (Minixhofer et al., 2022).
Rows here are whole words on both sides, where WECHSEL's own are the subwords of two tokenizers.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides
from xstitch.spaces.anchors.lexicon import whole_words
from xstitch.spaces.relative import map_rows
from xstitch.spaces.settings.relative import RelativeMapping
from xstitch.vectors.table import Vectors, lower_cased


def wechsel_rows(
    source: Vectors, special: Iterable[str], aligned: Sides, target_words: list[str], k: int, tau: float
) -> np.ndarray:
    """Map every target word to the embeddings (source, row i for token i) of the k nearest source words."""
    rows, token_rows = token_pairs(source, special, aligned, target_words)
    if len(rows) < k:
        raise InputError(
            f"mapping: k is {k}, but {len(rows)} of {len(aligned.source.words)} source words are tokens "
            "of the model; use vectors of the model's language"
        )
    mapping = RelativeMapping("softmax", k, tau, rescale=False)
    return map_rows(aligned.target.matrix, aligned.source.matrix[rows], source.matrix[token_rows], mapping)


def token_pairs(
    source: Vectors, special: Iterable[str], aligned: Sides, target_words: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Find the aligned source words that are tokens of the model: their rows, and the tokens' rows."""
    if aligned.target.words != target_words:
        raise InputError(
            "mapping: alignment and anchors have different target vectors; use the same `vectors` for both"
        )
    tokens = whole_words(source.words, special)
    fold = str.lower if lower_cased([*tokens]) else str
    known = [
        (row, tokens[fold(word)]) for row, word in enumerate(aligned.source.words) if fold(word) in tokens
    ]
    rows, token_rows = np.array(known, dtype=np.int64).reshape(-1, 2).T
    return rows, token_rows
