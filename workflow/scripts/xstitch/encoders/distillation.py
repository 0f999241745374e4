"""Static vectors from a contextual encoder: X2Static (Gupta and Jaggi, 2021).

A word's vector learns to score high with the contexts of the sentences it occurs in; words drawn at random
learn to score low with them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import softplus

from xstitch.encoders.aggregation import aggregate
from xstitch.encoders.contexts import Contexts, load_encoder, make_shards, read_subwords
from xstitch.encoders.corpus_words import CorpusWords, read_words
from xstitch.encoders.settings.distillation import DistillSettings
from xstitch.training.batches import Ragged
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import seed_all
from xstitch.training.loop import train
from xstitch.training.schedule import Schedule
from xstitch.vectors.table import Vectors

LOG = logging.getLogger("xstitch")
SCORE = 20.0  # scores are clamped to +- this
Batch = dict[str, torch.Tensor]


def distill_vectors(
    corpus: Path,
    encoder: Path,
    settings: DistillSettings,
    seed: int,
    checkpoint: Checkpoint | None = None,
    cache: Path | None = None,
) -> Vectors:
    """Make static vectors of a corpus' words from an encoder folder, words in order of frequency.

    Contexts are kept in the folder `cache`; without one, if they are needed more than once, next to the
    checkpoints. The caller removes those after writing the vectors.
    """
    words = read_words(corpus, settings.min_count, settings.max_words)
    LOG.info("%d sentences, %d words in the vocabulary", len(words.ids), len(words.vocabulary))
    aggregated = settings.method == "aggregation"
    subwords = read_subwords(corpus, encoder, settings.max_subwords, settings.lowercase, aggregated)
    frozen = load_encoder(encoder, settings.layer)
    if aggregated:
        return aggregate(
            words, subwords, frozen, settings.max_contexts, settings.encoder_batch, seed, checkpoint
        )
    if cache is None and checkpoint and settings.epochs > 1:
        cache = checkpoint.folder / "contexts"
    shards = make_shards(words.paragraphs)
    contexts = Contexts(frozen, subwords, shards, settings.encoder_batch, cache)
    return x2static(words, contexts, settings, seed, checkpoint)


def x2static(
    words: CorpusWords,
    contexts: Contexts,
    settings: DistillSettings,
    seed: int,
    checkpoint: Checkpoint | None = None,
) -> Vectors:
    """Train one vector per word against the contexts of sentences or paragraphs."""
    seed_all(seed)
    table = nn.Embedding(len(words.vocabulary), contexts.encoder.width, sparse=True)
    nn.init.uniform_(table.weight, -1 / table.embedding_dim, 1 / table.embedding_dim)
    schedule = Schedule(
        settings.learning_rate,
        settings.batch_size,
        epochs=settings.epochs,
        schedule="constant",
        clip=None,
        seed=seed,
    )
    stream = ShardStream(words, contexts, settings, seed)
    train(
        table,
        lambda batch: x2static_loss(table, batch),
        stream,
        schedule,
        checkpoint=checkpoint,
        label="X2Static",
        optimiser=sparse_adam,
    )
    return Vectors(words.vocabulary, table.weight.detach().cpu().numpy())


def sparse_adam(root: nn.Module, schedule: Schedule) -> torch.optim.SparseAdam:
    """Return an Adam that only touches the rows of a batch."""
    return torch.optim.SparseAdam(list(root.parameters()), lr=schedule.learning_rate)


def x2static_loss(table: nn.Embedding, batch: Batch) -> torch.Tensor:
    """Average log(1 + exp(-s)) of the target plus log(1 + exp(s)) of each of its negatives over targets."""
    contexts = batch["contexts"][batch["sentences"]]
    with torch.autocast(contexts.device.type, enabled=False):
        scores = torch.bmm(table(batch["words"]), contexts[:, :, None]).squeeze(2).clamp(-SCORE, SCORE)
    losses = softplus(-scores[:, 0]) + softplus(scores[:, 1:]).sum(dim=1)
    # A batch may lose all its targets to subsampling: its loss is 0, not 0 / 0.
    return losses.sum() / max(1, len(losses))


def keep_probabilities(counts: np.ndarray, threshold: float) -> np.ndarray:
    """Compute the chance of an occurrence of each word to be a target: min(1, sqrt(t/f) + t/f)."""
    ratio = threshold * counts.sum() / counts
    return np.minimum(1.0, np.sqrt(ratio) + ratio)


class Negatives:
    """Draws words in proportion to the square root of their counts, any number in one call."""

    def __init__(self, counts: np.ndarray) -> None:
        self.upper = torch.from_numpy(np.cumsum(np.sqrt(counts)))

    def draw(self, rows: int, columns: int) -> torch.Tensor:
        """Draw a matrix of word numbers from torch's own generator, whose state checkpoints save."""
        points = torch.rand(rows, columns, dtype=torch.float64) * self.upper[-1]
        return torch.searchsorted(self.upper, points, right=True).clamp_(max=len(self.upper) - 1)


def word_collator(
    ids: Ragged, counts: np.ndarray, threshold: float, negatives: int
) -> Callable[[np.ndarray], Batch]:
    """Make the function that draws targets and negatives for some sentences."""
    probabilities = torch.from_numpy(keep_probabilities(counts, threshold))
    sampler = Negatives(counts)

    def collate(rows: np.ndarray) -> Batch:
        padded, mask = map(torch.from_numpy, ids.padded(rows, -1))
        sentences, positions = (padded >= 0).nonzero(as_tuple=True)
        targets = padded[sentences, positions]
        chosen = torch.rand(len(targets), dtype=torch.float64) < probabilities[targets]
        targets, sentences = targets[chosen], sentences[chosen]
        words = torch.cat([targets[:, None], sampler.draw(len(targets), negatives)], dim=1)
        # The training loop counts tokens by the mask.
        return {"words": words, "sentences": sentences, "attention_mask": mask}

    return collate


class ShardStream:
    """An endless stream of batches, shard after shard: at most two shards' contexts are in memory at a time.

    Where a job has threads or a GPU, the encoder works on the next shard while words and negatives are drawn
    and learned from this one. Contexts are the same whenever they are computed, so vectors are too.
    """

    def __init__(self, words: CorpusWords, contexts: Contexts, settings: DistillSettings, seed: int) -> None:
        self.contexts, self.batch_size, self.seed = contexts, settings.batch_size, seed
        self.paragraphs = words.paragraphs if settings.context == "paragraph" else None
        self.collate = word_collator(words.ids, words.counts, settings.threshold, settings.negatives)
        self.shard, self.loaded = -1, torch.empty(0)
        self.ahead = ThreadPoolExecutor(1) if works_ahead() else None
        self.coming: dict[int, Future[np.ndarray]] = {}
        self.restore({"epoch": 0, "index": 0})

    def restore(self, position: dict[str, int]) -> None:
        """Go to a position; the batches of its epoch depend only on the seed."""
        self.epoch, self.index = position["epoch"], position["index"]
        random = np.random.default_rng((self.seed, self.epoch))
        self.batches = []
        for shard in random.permutation(len(self.contexts.shards)):
            order = random.permutation(len(self.contexts.shards[shard]))
            cuts = range(0, len(order), self.batch_size)
            self.batches += [(int(shard), order[cut : cut + self.batch_size]) for cut in cuts]

    def position(self) -> dict[str, int]:
        """Return the position in the stream, as plain data."""
        return {"epoch": self.epoch, "index": self.index}

    def __len__(self) -> int:
        """Return the number of batches in an epoch."""
        return len(self.batches)

    def __next__(self) -> Batch:
        if self.index == len(self.batches):
            self.restore({"epoch": self.epoch + 1, "index": 0})
        shard, members = self.batches[self.index]
        self.index += 1
        if shard != self.shard:
            self.shard, self.loaded = shard, self._load(shard)
        return {**self.collate(self.contexts.shards[shard][members]), "contexts": self.loaded[members]}

    def _load(self, shard: int) -> torch.Tensor:
        """Load a shard's contexts, of its sentences or of their paragraphs."""
        started = self.coming.pop(shard, None)
        contexts = started.result() if started else self.contexts.shard(shard)
        following = next((number for number, _ in self.batches[self.index :] if number != shard), None)
        if self.ahead and following is not None:
            self.coming = {following: self.ahead.submit(self.contexts.shard, following)}
        if self.paragraphs is not None:
            contexts = paragraph_means(contexts, self.paragraphs[self.contexts.shards[shard]])
        return torch.from_numpy(contexts)


def works_ahead() -> bool:
    """Say whether a thread that runs the encoder has something to run on beside the one that learns."""
    return torch.get_num_threads() > 1 or torch.cuda.is_available()


def paragraph_means(contexts: np.ndarray, paragraphs: np.ndarray) -> np.ndarray:
    """Replace each sentence's context by the mean over its paragraph, whose sentences are adjacent."""
    starts = np.flatnonzero(np.diff(paragraphs, prepend=-1))
    sizes = np.diff(starts, append=len(paragraphs))
    means = np.add.reduceat(contexts, starts, axis=0) / sizes[:, None].astype(contexts.dtype)
    return np.repeat(means, sizes, axis=0)
