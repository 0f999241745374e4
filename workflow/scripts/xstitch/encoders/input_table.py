"""The input embeddings of an encoder as static vectors of its tokens."""

from __future__ import annotations

from pathlib import Path

from transformers import AutoModel

from xstitch.core.errors import InputError
from xstitch.encoders.folders import WEIGHTS, load_tokenizer
from xstitch.vectors.table import Vectors


def input_vectors(folder: Path) -> Vectors:
    """Read an encoder's input table; row i belongs to token i."""
    table = AutoModel.from_pretrained(folder, **WEIGHTS).get_input_embeddings().weight.detach().numpy()
    rows = load_tokenizer(folder).get_vocab()
    if max(rows.values()) >= len(table):
        raise InputError(f"{folder}: the tokenizer has ids beyond the {len(table)} rows of the model's table")
    # Some tables are padded beyond the vocabulary; names that are not words keep those rows in place.
    words = [f"<row {row}>" for row in range(len(table))]
    for token, row in rows.items():
        words[row] = token
    return Vectors(words, table)
