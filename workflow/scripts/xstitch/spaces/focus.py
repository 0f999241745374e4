"""FOCUS: words that the model knows keep their rows, the others are sparse means of these.

Weights are the sparsemax of cosines between static vectors of the target language (Dobler and de Melo, 2023).
Both vocabularies here are whole words; FOCUS itself has the subwords of two tokenizers, with vectors trained
on text split into the new ones.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

import numpy as np

from xstitch.core.errors import InputError
from xstitch.spaces.anchors.lexicon import whole_words
from xstitch.spaces.relative import map_rows
from xstitch.spaces.settings.relative import RelativeMapping
from xstitch.vectors.table import Vectors, lower_cased

LOG = logging.getLogger("xstitch")
SPARSE = RelativeMapping("sparsemax", None, 1.0, rescale=False)  # all shared words; cosines as they are


def focus_rows(source: Vectors, special: Iterable[str], target: Vectors) -> np.ndarray:
    """Map every target word: its own embedding (source, row i for token i), or a mean of shared words'."""
    tokens = whole_words(source.words, special)
    fold = str.lower if lower_cased([*tokens]) else str
    shared = [(row, tokens[fold(word)]) for row, word in enumerate(target.words) if fold(word) in tokens]
    if not shared:
        raise InputError(
            "mapping: no target word is a token of the model; FOCUS needs vocabularies that overlap"
        )
    LOG.info("%d of %d target words are tokens of the model", len(shared), len(target.words))
    rows, token_rows = np.array(shared).T
    mapped = map_rows(target.matrix, target.matrix[rows], source.matrix[token_rows], SPARSE)
    mapped[rows] = source.matrix[token_rows]
    return mapped
