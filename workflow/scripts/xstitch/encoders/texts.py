"""Texts as vectors: the mean of an encoder's last hidden states, one vector per text."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from xstitch.core.parquet import stream_column
from xstitch.core.progress import progress
from xstitch.encoders.contexts import SHARD, Contexts, load_encoder, read_subwords
from xstitch.spaces.neighbours import slices
from xstitch.vectors.table import Vectors


def encode_texts(texts: Path, encoder: Path, max_length: int, batch_size: int = 64) -> Vectors:
    """Encode a table of texts, each named by its id; texts are cut after `max_length` subwords."""
    subwords = read_subwords(texts, encoder, max_length)
    rows = np.arange(len(subwords.ids))
    shards = [rows[part] for part in slices(len(rows), SHARD)]
    contexts = Contexts(load_encoder(encoder), subwords, shards, batch_size)
    parts = [contexts.shard(number) for number in progress(range(len(shards)), "encoding", unit="shard")]
    return Vectors(list(stream_column(texts, "id")), np.concatenate(parts))
