"""Texts as vectors: the mean of an encoder's last hidden states, or the first of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from xstitch.core.parquet import stream_column
from xstitch.core.progress import progress
from xstitch.encoders.contexts import SHARD, Contexts, Pooling, load_encoder, read_subwords
from xstitch.spaces.tiles import slices
from xstitch.vectors.table import Vectors


def encode_texts(
    texts: Path, encoder: Path, max_length: int, batch_size: int = 64, pooling: Pooling = "mean"
) -> Vectors:
    """Encode a table of texts, each named by its id; texts are cut after `max_length` subwords."""
    ids, model = list(stream_column(texts, "id")), load_encoder(encoder)
    if not ids:  # not every task has all splits
        return Vectors([], np.zeros((0, model.width), dtype=np.float32))
    subwords = read_subwords(texts, encoder, max_length)
    shards = [np.arange(len(ids))[part] for part in slices(len(ids), SHARD)]
    contexts = Contexts(model, subwords, shards, batch_size, pooling=pooling)
    parts = [contexts.shard(number) for number in progress(range(len(shards)), "encoding", unit="shard")]
    return Vectors(ids, np.concatenate(parts))
