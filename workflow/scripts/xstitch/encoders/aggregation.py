"""Static vectors as means of contextual ones (Bommasani et al., 2020): the baseline of X2Static."""

from __future__ import annotations

import logging
import time

import numpy as np
import torch

from xstitch.core.progress import progress
from xstitch.encoders.contexts import SHARD, CutEncoder, Subwords, encode_rows
from xstitch.encoders.corpus_words import ABSENT, CorpusWords
from xstitch.training.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from xstitch.vectors.table import Vectors

LOG = logging.getLogger("xstitch")


def aggregate(
    words: CorpusWords,
    subwords: Subwords,
    encoder: CutEncoder,
    max_contexts: int | None,
    batch_size: int,
    seed: int,
    checkpoint: Checkpoint | None = None,
) -> Vectors:
    """Average the mean hidden state of a word's subwords over its occurrences."""
    ids, tokens = words.ids.values, subwords.tokens
    pieces = np.bincount(tokens.values[tokens.values >= 0], minlength=len(ids))
    seen = np.where(pieces > 0, ids, ABSENT)  # words beyond the cut of a sentence have no hidden states
    chosen = choose_occurrences(seen, max_contexts, seed)
    rows = np.unique(np.searchsorted(words.ids.offsets, np.flatnonzero(chosen), side="right") - 1)
    shards = [rows[start : start + SHARD] for start in range(0, len(rows), SHARD)]
    sums = torch.zeros(len(words.vocabulary), encoder.width, device=next(encoder.parameters()).device)
    first, saved = _resume(checkpoint, sums), time.monotonic()
    bar = progress(range(first, len(shards)), "aggregation", len(shards), "shard", first)
    for number in bar:
        for batch, states, _ in encode_rows(encoder, subwords, shards[number], batch_size):
            owners = tokens.padded(batch, -1)[0]
            _add(sums, states, np.where(chosen[owners], owners, -1), ids, pieces)
        if checkpoint and checkpoint.is_due(number + 1, time.monotonic() - saved):
            save_checkpoint(checkpoint.folder, checkpoint.fingerprint, number + 1, {"sums": sums}, number + 1)
            saved = time.monotonic()
    return _means(words, sums.cpu().numpy(), np.bincount(ids[chosen], minlength=len(words.vocabulary)))


def choose_occurrences(words: np.ndarray, limit: int | None, seed: int) -> np.ndarray:
    """Mark the occurrences to average over: all of them, or up to `limit` of each word drawn at random."""
    if limit is None:
        return words >= 0
    order = np.random.default_rng(seed).permutation(len(words))
    order = order[np.argsort(words[order], kind="stable")]
    ordered = words[order]
    starts = np.searchsorted(ordered, ordered, side="left")
    chosen = np.zeros(len(words), dtype=bool)
    chosen[order] = (ordered >= 0) & (np.arange(len(words)) - starts < limit)
    return chosen


def _add(
    sums: torch.Tensor, states: torch.Tensor, owners: np.ndarray, ids: np.ndarray, pieces: np.ndarray
) -> None:
    """Add each subword's hidden state to its word, weighted by its share of the occurrence."""
    rows, columns = np.nonzero(owners >= 0)
    occurrences = owners[rows, columns]
    shares = torch.from_numpy((1 / pieces[occurrences]).astype(np.float32)).to(sums.device)
    numbers = torch.from_numpy(ids[occurrences].astype(np.int64)).to(sums.device)
    picked = states[torch.from_numpy(rows).to(sums.device), torch.from_numpy(columns).to(sums.device)]
    sums.index_add_(0, numbers, picked * shares[:, None])


def _resume(checkpoint: Checkpoint | None, sums: torch.Tensor) -> int:
    """Restore the sums of a killed run; return the first shard still to do."""
    saved = load_checkpoint(checkpoint.folder, checkpoint.fingerprint) if checkpoint else None
    if saved is None:
        return 0
    sums.copy_(saved[0]["sums"])
    LOG.info("resumed at shard %d from %s", saved[1], checkpoint.folder)
    return saved[1]


def _means(words: CorpusWords, sums: np.ndarray, counts: np.ndarray) -> Vectors:
    """Divide by the number of contexts; a word that only occurs beyond a cut has no vector."""
    seen = np.flatnonzero(counts)
    if len(seen) < len(counts):
        LOG.warning("%d words only occur where sentences were cut: left out", len(counts) - len(seen))
    means = sums[seen] / counts[seen, None].astype(np.float32)
    return Vectors([words.vocabulary[number] for number in seen], means)
