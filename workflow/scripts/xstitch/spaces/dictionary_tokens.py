"""Dictionary tokens: a target word's row is the mean of the rows of its translations' subwords.

Sakajo et al. (2025) estimate the rows of target subwords so, from links between the subwords of dictionary
entries and of their translations. Here the target's tokens are whole words, which need no links.
"""

from __future__ import annotations

import logging

import numpy as np
import pyarrow as pa
from tokenizers import Tokenizer

from xstitch.spaces.translations import translations
from xstitch.vectors.table import Vectors, lower_cased

LOG = logging.getLogger("xstitch")


def dictionary_rows(
    source: Vectors, tokenizer: Tokenizer, lexicon: pa.Table, target_words: list[str]
) -> np.ndarray:
    """Map every target word to the mean of the embeddings (source, row i for token i) of its translations.

    A word without translations is its own, as names and numbers are: what the model's tokenizer makes of it.
    """
    found = translations(lexicon, "target", "source", source.words, lower_cased(target_words))
    texts = [found.get(word, [word]) for word in target_words]
    distinct = sorted({text for listed in texts for text in listed})
    pieces = dict(zip(distinct, _subwords(tokenizer, distinct), strict=True))
    LOG.info(
        "%d of %d target words have translations",
        *(sum(word in found for word in target_words), len(target_words)),
    )
    return np.stack([_mean(source, [row for text in listed for row in pieces[text]]) for listed in texts])


def _subwords(tokenizer: Tokenizer, texts: list[str]) -> list[list[int]]:
    """Split texts into tokens; some published tokenizers pad every text to a length, which would count."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]


def _mean(source: Vectors, rows: list[int]) -> np.ndarray:
    """Average rows; what leaves no token at all, such as a soft hyphen, gets the zero row."""
    width = source.matrix.shape[1]
    return source.matrix[rows].mean(axis=0) if rows else np.zeros(width, dtype=source.matrix.dtype)
