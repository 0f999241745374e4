"""Tagging: fine-tune an encoder folder on tagged words, then tag with the result.

A word is tagged at its first subword; its other subwords have neither a label nor a prediction. Words without
any subword (only control characters, say) cannot be learnt and are tagged as outside all names; they are
counted. Sentences that do not fit into the input are split (`split_long`), so that no other word is lost.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import AutoModelForTokenClassification

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.encoders.adapters import AdapterStack, restore_adapters, stack_adapters
from xstitch.encoders.folders import WEIGHTS, save_trained, set_embeddings
from xstitch.encoders.inputs import Inputs, load_fast_tokenizer, run_model
from xstitch.encoders.packed.encoder import pack_encoder
from xstitch.encoders.wordpiece import blocks
from xstitch.models.classification import label_numbers
from xstitch.results.tag_metrics import tagging_scores
from xstitch.sources.tasks.rows import Sentence
from xstitch.training.batches import Ragged, scheduled_batches
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, evaluating, move, seed_all
from xstitch.training.history import History
from xstitch.training.loop import held_out_loss, train
from xstitch.training.schedule import Schedule
from xstitch.training.shares import Rows

LOG = logging.getLogger("xstitch")
OUTSIDE = "O"  # predicted for words that the model does not see
NONE = -1  # no word, or no prediction
IGNORED = -100  # the label that torch's cross-entropy ignores
BLOCK = 10_000  # sentences tokenised at once
EVALUATION_BATCH = 64


@dataclass(frozen=True)
class TokenisedWords:
    """Tokenised sentences; `first` has, at each word's first subword, the word's number over all sentences.

    Other subwords have -1 there. `sizes` are the numbers of words in the sentences; `vanished` words have no
    subword, `cut` words were beyond the length.
    """

    inputs: Inputs
    first: Ragged
    sizes: np.ndarray
    vanished: int
    cut: int

    def split(self, tags: Sequence[str]) -> list[list[str]]:
        """Split the tags of all words into sentences."""
        return deal(tags, self.sizes)


@dataclass(frozen=True)
class TagPredictions:
    """The most likely tag of every word, and how many words had no subword to predict one from."""

    tags: list[list[str]]
    vanished: int


def deal(tags: Sequence[str], sizes: Iterable[int]) -> list[list[str]]:
    """Split the tags of all words into sentences of the given sizes."""
    rest = iter(tags)
    return [list(islice(rest, int(size))) for size in sizes]


def tokenise_words(tokenizer: Any, sentences: Sequence[Sequence[str]], max_length: int) -> TokenisedWords:
    """Tokenise sentences word by word and truncate those that are too long."""
    if not sentences:
        raise InputError("tagging: no sentences")
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.enable_truncation(max_length)
    ids, firsts, number, cut = [], [], 0, 0
    for block in progress(list(blocks(sentences, BLOCK)), "tokenising", unit="block"):
        encoded = backend.encode_batch([list(words) for words in block], is_pretokenized=True)
        ids.append(Ragged.from_lists([entry.ids for entry in encoded]))
        for words, entry in zip(block, encoded, strict=True):
            marked = first_subwords(entry.word_ids)
            firsts.append(np.where(marked < 0, NONE, marked + number))
            number += len(words)
            if entry.overflowing:
                cut += len(words) - 1 - int(marked.max(initial=NONE))
    backend.no_truncation()  # otherwise it would be saved with the tokenizer
    inputs = Inputs(Ragged.join(ids), tokenizer.pad_token_id or 0)
    first = Ragged(np.concatenate(firsts), inputs.ids.offsets)
    unseen = number - int((first.values >= 0).sum())
    sizes = np.array([len(words) for words in sentences], dtype=np.int64)
    return TokenisedWords(inputs, first, sizes, unseen - cut, cut)


def split_long(tokenizer: Any, sentences: Sequence[Sentence], max_length: int) -> list[Sentence]:
    """Split sentences that exceed the length into pieces that fit, so that no word is lost.

    XTREME does this with all its files, before training and before scoring: otherwise 8 % of the Chinese
    characters in PAN-X would be beyond mBERT's 128 subwords. A word longer than the length is its own piece.
    """
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    room = max_length - backend.num_special_tokens_to_add(is_pair=False)
    pieces = []
    for block in progress(list(blocks(sentences, BLOCK)), "measuring", unit="block"):
        words = [list(sentence.words) for sentence in block]
        encoded = backend.encode_batch(words, is_pretokenized=True, add_special_tokens=False)
        for sentence, entry in zip(block, encoded, strict=True):
            sizes = np.bincount(np.array(entry.word_ids, dtype=np.int64), minlength=len(sentence.words))
            cuts = [0, *piece_ends(sizes.tolist(), room)]
            pieces += [Sentence(*(part[i:j] for part in sentence)) for i, j in pairwise(cuts)]
    return pieces


def piece_ends(sizes: Sequence[int], room: int) -> list[int]:
    """Fill pieces of at most `room` from left to right; return the index after the last element of each."""
    ends, filled = [], 0
    for index, size in enumerate(sizes):
        if filled and filled + size > room:
            ends.append(index)
            filled = 0
        filled += size
    return [*ends, len(sizes)] if sizes else []


def first_subwords(words: Sequence[int | None]) -> np.ndarray:
    """Keep a word's number at its first subword only; other subwords and special tokens get -1."""
    numbers = np.array([NONE if word is None else word for word in words], dtype=np.int64)
    before = np.concatenate([[NONE], numbers[:-1]])
    return np.where(numbers == before, NONE, numbers)


def finetune_tagger(
    encoder: Path,
    training: Sequence[Sentence],
    dev: Sequence[Sentence] | None,
    labels: Sequence[str],
    schedule: Schedule,
    max_length: int,
    output: Path,
    checkpoint: Checkpoint | None = None,
    embeddings: np.ndarray | None = None,
    freeze_embeddings: bool = False,
    adapters: AdapterStack | None = None,
) -> History:
    """Fine-tune an encoder folder on tagged sentences.

    The weights with the best F1 of spans on `dev` are kept, or those that the schedule names; without `dev`,
    the last. `embeddings` replaces the input-embedding table before training; with `adapters`, only a task
    adapter and the head are trained. The output is a complete transformers folder (`save_trained`), written
    after training.
    """
    seed_all(schedule.seed)
    tokenizer, model = load_fast_tokenizer(encoder, max_length), load_tagger(encoder, labels)
    set_embeddings(model, embeddings, freeze_embeddings)
    if adapters is not None:
        stack_adapters(model, adapters)
    pack_encoder(model)
    gold = _numbers(training, labels, "training")
    pieces = split_long(tokenizer, training, max_length)
    words = tokenise_words(tokenizer, [piece.words for piece in pieces], max_length)
    _report(words, "training data")
    collate = _collator(words, gold)
    by_loss = schedule.keep == "lowest-loss"

    def loss(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return tagging_loss(_logits(model, batch), batch["labels"])

    def evaluation(dev: Sequence[Sentence]) -> Callable[[], float]:
        if by_loss:
            return _dev_loss(loss, tokenizer, dev, labels, max_length)
        return _dev_score(model, tokenizer, dev, labels, max_length)

    history = train(
        model,
        loss,
        scheduled_batches(words.inputs.ids.lengths, schedule, collate),
        schedule,
        None if dev is None else evaluation(dev),
        checkpoint,
        best="lowest" if by_loss else "highest",
        label="fine-tuning",
        sharing=BY_LABELS,
    )
    save_trained(output, model, tokenizer, history, checkpoint)
    return history


def predict_tags(
    folder: Path, sentences: Sequence[Sequence[str]], max_length: int, batch_size: int = EVALUATION_BATCH
) -> TagPredictions:
    """Tag the words of sentences with a fine-tuned folder."""
    model = load_tagger(folder)
    restore_adapters(model, folder)
    pack_encoder(model)
    model.to(choose_device())
    tokenizer = load_fast_tokenizer(folder, max_length)
    whole = [Sentence(tuple(words), (OUTSIDE,) * len(words)) for words in sentences]
    pieces = [piece.words for piece in split_long(tokenizer, whole, max_length)]
    words = tokenise_words(tokenizer, pieces, max_length)
    _report(words, "tagging")
    names = [model.config.id2label[number] for number in range(model.config.num_labels)]
    with evaluating(model):
        tags = _tags(model, words, names, progress(words.inputs.batches(batch_size), "tagging", unit="batch"))
    return TagPredictions(deal(list(chain(*tags)), map(len, sentences)), words.vanished)


def load_tagger(folder: Path, labels: Sequence[str] | None = None) -> nn.Module:
    """Load a folder as a tagger, with a new head for `labels` or the head it has."""
    names = {}
    if labels is not None:
        names = {"id2label": dict(enumerate(labels)), "label2id": {name: i for i, name in enumerate(labels)}}
    return AutoModelForTokenClassification.from_pretrained(folder, **names, **WEIGHTS)


def mean_words(tokenizer: Any, sentences: Sequence[Sequence[str]], max_length: int) -> float:
    """Return the mean number of words in sentences cut at a length, as far as the model sees them."""
    words = tokenise_words(tokenizer, sentences, max_length)
    return float((words.first.values >= 0).sum() / len(sentences))


def scaled_schedule(schedule: Schedule, sentences: int, length: float) -> Schedule:
    """Turn epochs over some sentences into updates, times their mean length relative to the source's.

    A loss is a mean over the words of a batch, so a word in a longer sentence gets less of an update. This
    gives the 7,021 updates for English that iwda states (appendix C.2), and its 7,135 and 9,086 for German
    and Spanish, with sentences cut at 512 tokens.
    """
    if schedule.epochs is None:
        return schedule
    updates = schedule.epochs * sentences / schedule.batch_size / schedule.accumulation * length
    steps = math.ceil(round(updates, 6))  # rounding must not add an update
    return replace(schedule, epochs=None, steps=max(steps, schedule.least_steps or 1))


def tagging_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Average the cross-entropy over first subwords; a batch without any gives 0, not 0 / 0."""
    total = nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    return total / (labels != IGNORED).sum().clamp(min=1)


def count_labels(batch: Mapping[str, torch.Tensor]) -> int:
    """Count what `tagging_loss` averages over."""
    return int((batch["labels"] != IGNORED).sum())


BY_LABELS = Rows(count_labels)


def _numbers(sentences: Sequence[Sentence], labels: Sequence[str], split: str) -> np.ndarray:
    """Turn the tags of all words into numbers."""
    for number, sentence in enumerate(sentences, start=1):
        if len(sentence.words) != len(sentence.tags):
            raise InputError(f"{split} data: sentence {number} does not have one tag per word")
    return label_numbers([tag for sentence in sentences for tag in sentence.tags], labels, split)


def _collator(words: TokenisedWords, gold: np.ndarray) -> Callable[[np.ndarray], dict[str, torch.Tensor]]:
    """Make the function that pads rows and labels each word's first subword with its tag."""

    def collate(rows: np.ndarray) -> dict[str, torch.Tensor]:
        first, _ = words.first.padded(rows, NONE)
        labels = np.where(first < 0, IGNORED, gold[first])
        return {**words.inputs.collate(rows), "labels": torch.from_numpy(labels)}

    return collate


def _logits(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """Score the labels for every token of a batch."""
    return run_model(model, batch).logits.float()


def _tags(
    model: nn.Module, words: TokenisedWords, names: Sequence[str], batches: Iterable[np.ndarray]
) -> list[list[str]]:
    """Tag all sentences, in their order."""
    predicted = np.full(int(words.sizes.sum()), NONE)
    for rows in batches:
        best = _logits(model, move(words.inputs.collate(rows), choose_device())).argmax(dim=2).cpu().numpy()
        first, _ = words.first.padded(rows, NONE)
        predicted[first[first >= 0]] = best[first >= 0]
    return words.split([OUTSIDE if number < 0 else names[number] for number in predicted])


def _dev_score(
    model: nn.Module, tokenizer: Any, dev: Sequence[Sentence], labels: Sequence[str], max_length: int
) -> Callable[[], float]:
    """Make the function that returns F1 of spans on the development data."""
    _numbers(dev, labels, "development")  # refuses unknown tags before an epoch is spent
    pieces = split_long(tokenizer, dev, max_length)
    words = tokenise_words(tokenizer, [piece.words for piece in pieces], max_length)
    gold, batches = [piece.tags for piece in pieces], words.inputs.batches(EVALUATION_BATCH)
    return lambda: tagging_scores(gold, _tags(model, words, labels, batches)).f1


def _dev_loss(
    loss: Callable[[dict[str, torch.Tensor]], torch.Tensor],
    tokenizer: Any,
    dev: Sequence[Sentence],
    labels: Sequence[str],
    max_length: int,
) -> Callable[[], float]:
    """Make the function that returns the mean loss over the words of the development data."""
    gold = _numbers(dev, labels, "development")
    pieces = split_long(tokenizer, dev, max_length)
    words = tokenise_words(tokenizer, [piece.words for piece in pieces], max_length)
    batches = words.inputs.batches(EVALUATION_BATCH)
    return held_out_loss(loss, _collator(words, gold), batches, _labelled)


def _labelled(batch: dict[str, torch.Tensor]) -> int:
    """Count the labelled tokens of a batch."""
    return int((batch["labels"] != IGNORED).sum())


def _report(words: TokenisedWords, what: str) -> None:
    """Warn of words that the model does not see."""
    if words.vanished or words.cut:
        total = int(words.sizes.sum())
        LOG.warning(
            "%s: of %d words, %d have no subword and %d are beyond max_length: not learnt, tagged %s",
            *(what, total, words.vanished, words.cut, OUTSIDE),
        )
