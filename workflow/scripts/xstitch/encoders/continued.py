"""Continued pre-training: masked language modelling plus a loss that ties words to static vectors (x2s 4).

The encoder sees each word alone, and the mean of its subwords' last hidden states is compared with its static
vector, from one space for all languages: by squared error, or by DCCA, which only asks that one be a linear
function of the other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint as recompute
from transformers import PreTrainedTokenizerFast

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.encoders.dcca import dcca_loss
from xstitch.encoders.folders import load_masked_model, save_trained
from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.encoders.pretraining import (
    BLOCK,
    BY_MASKED,
    masked_loss,
    masked_stream,
    masked_validation,
    read_corpus,
    read_used,
)
from xstitch.encoders.settings.continued import ContinuationSettings
from xstitch.encoders.wordpiece import blocks
from xstitch.spaces.aligned import FITTED_ROWS, Sides, map_onto
from xstitch.training.batches import BatchStream, Ragged
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import seed_all
from xstitch.training.history import History
from xstitch.training.loop import Objective, train_jointly
from xstitch.training.shares import WHOLE, Rows
from xstitch.vectors.row_file import RowFile
from xstitch.vectors.table import Vectors, unit_rows

LOG = logging.getLogger("xstitch")
LONGEST = 32  # subwords; anything longer (an address, a row of signs) is no word and would pad its batch
PIECE = 128  # words that the encoder sees at once


@dataclass(frozen=True)
class VocabularyWords:
    """Words of all languages as token ids, specials included, and their static vectors, of length one."""

    ids: Ragged
    vectors: RowFile
    padding: int
    special: np.ndarray  # by token id

    def collate(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Return the inputs of some words, the subwords to average over, and the vectors."""
        ids, attention = self.ids.padded(rows, self.padding)
        return {
            "input_ids": torch.from_numpy(ids),
            "attention_mask": torch.from_numpy(attention),
            "subwords": torch.from_numpy((attention > 0) & ~self.special[ids]),
            "vectors": torch.from_numpy(self.vectors[rows]),
        }


def continue_encoder(
    encoder: Path,
    corpora: Mapping[str, Path],
    settings: ContinuationSettings,
    output: Path,
    vectors: Iterable[tuple[str, Vectors]] = (),
    checkpoint: Checkpoint | None = None,
) -> History:
    """Continue training an encoder folder; keep the weights with the lowest masked loss on held-out text.

    `corpora` has one Parquet of sentences per language, `vectors` the words of one language after the other,
    all in one space.
    """
    schedule = settings.training
    seed_all(schedule.seed)
    tokenizer = load_fast_tokenizer(encoder, settings.max_length)
    model = load_masked_model(encoder)
    read = read_corpus if schedule.steps is None else read_used
    corpus = read(corpora, tokenizer.backend_tokenizer, settings)
    sentences = masked_stream(corpus, tokenizer, settings)
    objectives = {"masked": Objective(lambda batch: masked_loss(model, batch), sentences, sharing=BY_MASKED)}
    if settings.loss != "none":
        words = read_vocabulary(vectors, tokenizer, settings.max_words, output.parent)
        objectives["words"] = words_objective(model, words, settings)
    validation = masked_validation(model, corpus, tokenizer, settings)
    label = "continued pre-training"
    history = train_jointly(model, objectives, schedule, validation, checkpoint, best="lowest", label=label)
    LOG.info("validation loss %.4f at step %d", history.best.metric, history.best.step)
    save_trained(output, model, tokenizer, history, checkpoint)
    return history


def join_spaces(source: str, sides: Iterable[tuple[str, Sides]]) -> Iterator[tuple[str, Vectors]]:
    """Bring the languages of several alignments, each in its own space with the source, into one space.

    They come and go one at a time: forty of them take 50 GB.
    """
    reference = None
    for language, side in sides:
        if reference is None:
            reference = side.source.matrix[:FITTED_ROWS].copy()
            yield source, side.source
        to_reference = map_onto(side.source.matrix, reference).astype(np.float32)
        yield language, Vectors(side.target.words, side.target.matrix @ to_reference)
    if reference is None:
        raise InputError("continued pre-training: no aligned vectors of any language")


def read_vocabulary(
    vectors: Iterable[tuple[str, Vectors]], tokenizer: PreTrainedTokenizerFast, max_words: int, folder: Path
) -> VocabularyWords:
    """Tokenise the frequent words of every language, except those with letters the encoder lacks.

    Their vectors wait on the disk of `folder`.
    """
    special = np.zeros(len(tokenizer), dtype=bool)
    special[tokenizer.all_special_ids] = True
    ids, rows = [], RowFile(folder)
    for language, table in vectors:
        words = table.words[:max_words]
        encoded = _tokenise(words, tokenizer, language)
        known = [number for number, entry in enumerate(encoded) if _is_known(entry, tokenizer, special)]
        if not known:
            raise InputError(f"continued pre-training: the encoder knows no word of {language}'s vectors")
        LOG.info("%s: %d of %d words", language, len(known), len(words))
        ids.append(Ragged.from_lists([encoded[number] for number in known]))
        rows.append(unit_rows(table.matrix[known]))
    if not ids:
        raise InputError("continued pre-training: this loss needs static vectors, but none are given")
    return VocabularyWords(Ragged.join(ids), rows, tokenizer.pad_token_id or 0, special)


def _tokenise(words: list[str], tokenizer: PreTrainedTokenizerFast, language: str) -> list[list[int]]:
    backend = tokenizer.backend_tokenizer
    bar = progress(blocks(words, BLOCK), f"words of {language}", unit="block")
    return [entry.ids for block in bar for entry in backend.encode_batch_fast(block)]


def _is_known(ids: list[int], tokenizer: PreTrainedTokenizerFast, special: np.ndarray) -> bool:
    return len(ids) <= LONGEST and tokenizer.unk_token_id not in ids and not special[ids].all()


def words_objective(model: nn.Module, words: VocabularyWords, settings: ContinuationSettings) -> Objective:
    """Make the objective that ties words to their vectors."""
    _check_width(settings.loss, words.vectors.width, model.config.hidden_size)
    part = settings.words_part or settings.words_batch
    stream = words_stream(words, part, settings.training.seed)
    # DCCA needs all words of a part at once: what sentences accumulate says nothing about words.
    number = settings.words_batch // part
    sharing = Rows() if settings.loss == "mse" else WHOLE
    return Objective(words_loss(model, settings), stream, settings.weight, number, sharing)


def words_stream(words: VocabularyWords, batch_size: int, seed: int) -> BatchStream:
    """Stream batches of words of any language and length: words of one length would be a biased sample."""
    number = len(words.ids)
    whole = max(number - number % batch_size, min(number, batch_size))

    def select(epoch: int) -> np.ndarray:
        # Whole batches only: the correlations of a handful of words are all 1.
        return np.random.default_rng((seed, epoch, 2)).permutation(number)[:whole]

    return BatchStream(np.ones(number), batch_size, seed, words.collate, select)


def words_loss(
    model: nn.Module, settings: ContinuationSettings
) -> Callable[[Mapping[str, torch.Tensor]], torch.Tensor]:
    """Make the function that compares words with their vectors."""

    def loss(batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
        states = word_states(model, batch)
        if settings.loss == "mse":
            return nn.functional.mse_loss(states, batch["vectors"])
        return dcca_loss(states, batch["vectors"], settings)

    return loss


def word_states(model: nn.Module, batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """Average the last hidden states of each word's subwords, without specials and padding.

    Many words go through the encoder in pieces of similar length. Each piece is computed a second time when
    its gradient is needed: what a loss over all words keeps in memory then is one piece and all states.
    """
    if len(batch["input_ids"]) <= PIECE:
        return _piece_states(model, batch["input_ids"], batch["attention_mask"], batch["subwords"])
    lengths = batch["attention_mask"].sum(dim=1)
    order = lengths.argsort(stable=True)
    states = []
    for rows in order.split(PIECE):
        longest = lengths[rows].max()
        inputs = [batch[name][rows, :longest] for name in ("input_ids", "attention_mask", "subwords")]
        states.append(recompute(_piece_states, model, *inputs, use_reentrant=False))
    return torch.cat(states)[order.argsort()]


def _piece_states(
    model: nn.Module, ids: torch.Tensor, attention: torch.Tensor, subwords: torch.Tensor
) -> torch.Tensor:
    output = model.base_model(input_ids=ids, attention_mask=attention)
    states = output.last_hidden_state.float()
    weights = subwords / subwords.sum(dim=1, keepdim=True)
    return torch.bmm(weights[:, None].to(states.dtype), states).squeeze(1)


def _check_width(loss: str, vectors: int, encoder: int) -> None:
    if loss == "mse" and vectors != encoder:
        raise InputError(
            f"continued pre-training: vectors have {vectors} dimensions, the encoder {encoder}: "
            "loss mse compares them one by one; use vectors of the same width, or loss dcca"
        )
