"""Masked language modelling, and pre-training small BERTs with it."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForMaskedLM,
    PreTrainedTokenizerFast,
)

from xstitch.core.errors import InputError
from xstitch.core.parquet import count_rows, stream_column, stream_windows
from xstitch.core.progress import progress
from xstitch.encoders.folders import save_trained
from xstitch.encoders.settings.pretraining import EncoderSettings, MaskedModelling
from xstitch.encoders.wordpiece import SPECIAL, blocks, train_wordpiece
from xstitch.training.batches import BatchStream, Ragged, bucketed_batches, scheduled_batches
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, move, seed_all
from xstitch.training.history import History
from xstitch.training.loop import train
from xstitch.training.shares import Rows

LOG = logging.getLogger("xstitch")
BLOCK = 10_000  # sentences tokenised at once
WINDOW = 1000  # neighbouring sentences drawn together: blocks of running text, from many places
HEADS = ("cls", "lm_head")  # BERT's and RoBERTa's names for what scores the vocabulary


@dataclass(frozen=True)
class Corpus:
    """All sentences as token ids, language after language, split into training and held-out rows."""

    ids: Ragged
    training: list[np.ndarray]
    held_out: np.ndarray
    shares: np.ndarray  # by language, of the rows to train on


def pretrain_encoder(
    corpora: Mapping[str, Path],
    settings: EncoderSettings,
    output: Path,
    checkpoint: Checkpoint | None = None,
) -> History:
    """Pre-train a BERT by masked language modelling on one Parquet of sentences per language."""
    schedule = settings.training
    seed_all(schedule.seed)
    texts = (text for path in corpora.values() for text in stream_column(path, "text"))
    tokenizer = train_wordpiece(texts, settings.vocabulary_size, settings.lowercase)
    corpus = read_corpus(corpora, tokenizer, settings)
    model, wrapped = new_model(tokenizer, settings), wrap(tokenizer, settings)
    if settings.skipgram_epochs:
        start_from_skipgram(model, corpus.ids, settings)
    history = train(
        model,
        lambda batch: masked_loss(model, batch),
        masked_stream(corpus, wrapped, settings),
        schedule,
        masked_validation(model, corpus, wrapped, settings),
        checkpoint,
        best="lowest",
        label="masked language modelling",
        sharing=BY_MASKED,
    )
    LOG.info("validation loss %.4f at step %d", history.best.metric, history.best.step)
    save_trained(output, model, wrapped, history, checkpoint)
    return history


def wrap(tokenizer: Tokenizer, settings: EncoderSettings) -> PreTrainedTokenizerFast:
    """Give a bare tokenizer the names and limits that transformers needs."""
    names = {f"{name}_token": token for name, token in SPECIAL.items()}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=settings.max_length,
        model_input_names=["input_ids", "attention_mask"],
        **names,
    )


def new_model(tokenizer: Tokenizer, settings: EncoderSettings) -> nn.Module:
    """Make a BERT with a tied masked-language-modelling head and random weights."""
    config = AutoConfig.for_model(
        "bert",
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=settings.width,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=4 * settings.width,
        max_position_embeddings=settings.max_length,
        hidden_dropout_prob=settings.dropout,
        # No dropout on attention weights: torch's fast CPU attention kernel is only used without it.
        attention_probs_dropout_prob=0.0,
        pad_token_id=tokenizer.token_to_id(SPECIAL["pad"]),
    )
    return AutoModelForMaskedLM.from_config(config, attn_implementation="sdpa")


def read_corpus(corpora: Mapping[str, Path], tokenizer: Tokenizer, settings: MaskedModelling) -> Corpus:
    """Tokenise all sentences, or blocks of them, and hold out some of each language."""
    read = text_blocks if settings.blocks else _sentences
    tokenised = {}
    for language, path in corpora.items():
        texts = progress(blocks(stream_column(path, "text"), BLOCK), f"tokenising {language}", unit="block")
        tokenised[language] = [*read(texts, tokenizer, settings.max_length)]
    return _split(corpora, tokenised, settings)


def read_used(corpora: Mapping[str, Path], tokenizer: Tokenizer, settings: MaskedModelling) -> Corpus:
    """Tokenise no more than a training of a known number of steps uses, drawn from everywhere in the text.

    How many rows a language's whole text would make, which decides its share, is judged by its first window.
    """
    schedule = settings.training
    random = np.random.default_rng((schedule.seed, 3))
    readers = {name: _Reader(path, tokenizer, settings, random) for name, path in corpora.items()}
    sizes = np.array([reader.all_rows() for reader in readers.values()])
    shares = smoothed_shares(sizes, settings.language_exponent)
    used = schedule.steps * schedule.batch_size * schedule.accumulation
    for (language, reader), share in zip(readers.items(), shares, strict=True):
        LOG.info("%s: %.1f %% of the text that is trained on", language, 100 * share)
        reader.read(settings.held_out + math.ceil(share * used))
    return _split(corpora, {name: reader.parts for name, reader in readers.items()}, settings, shares)


class _Reader:
    """A language's corpus, tokenised window by window in random order, as far as it is asked for."""

    def __init__(
        self, path: Path, tokenizer: Tokenizer, settings: MaskedModelling, random: np.random.Generator
    ) -> None:
        self.sentences = count_rows(path)
        self.windows = stream_windows(path, "text", WINDOW, random)
        self.tokenizer, self.settings = tokenizer, settings
        self.parts: list[Ragged] = []

    def all_rows(self) -> float:
        """Judge by a first window how many rows the whole corpus would make."""
        window = next(self.windows, [])
        self._add(window)
        return self.sentences * len(self.parts[0]) / max(1, len(window))

    def read(self, wanted: int) -> None:
        """Tokenise until there are as many rows as wanted, or no more text."""
        rows = sum(len(part) for part in self.parts)
        while rows < wanted and (window := next(self.windows, None)):
            rows += self._add(window)

    def _add(self, window: list[str]) -> int:
        read = text_blocks if self.settings.blocks else _sentences
        self.parts += read([window], self.tokenizer, self.settings.max_length)
        return len(self.parts[-1])


def _split(
    corpora: Mapping[str, Path],
    tokenised: Mapping[str, Sequence[Ragged]],
    settings: MaskedModelling,
    shares: np.ndarray | None = None,
) -> Corpus:
    """Hold out some rows of each language; its share is that of its training rows unless it is given."""
    random = np.random.default_rng(settings.training.seed)
    training, held_out, start = [], [], 0
    for language, parts in tokenised.items():
        size = sum(len(part) for part in parts)
        if size < 2:
            what = f"blocks of {settings.max_length} tokens" if settings.blocks else "sentences"
            message = f"the corpus of {language} has {size} {what}; at least 2 are needed"
            raise InputError(f"{corpora[language]}: {message}")
        rows = start + random.permutation(size)
        count = max(1, min(settings.held_out, size // 10))
        held_out.append(rows[:count])
        training.append(np.sort(rows[count:]))
        start += size
    if shares is None:
        sizes = np.array([len(rows) for rows in training])
        shares = smoothed_shares(sizes, settings.language_exponent)
    ids = Ragged.join([part for parts in tokenised.values() for part in parts])
    LOG.info("%d sentences, %d tokens", len(ids), len(ids.values))
    return Corpus(ids, training, np.concatenate(held_out), shares)


def _sentences(texts: Iterable[list[str]], tokenizer: Tokenizer, length: int) -> Iterator[Ragged]:
    for block in texts:
        tokenizer.enable_truncation(length)
        entries = tokenizer.encode_batch_fast(block)
        tokenizer.no_truncation()
        yield Ragged.from_lists([entry.ids for entry in entries])


def text_blocks(texts: Iterable[list[str]], tokenizer: Tokenizer, length: int) -> Iterator[Ragged]:
    """Cut running text into blocks of `length` tokens, specials included; drop the remainder."""
    start, *end = tokenizer.encode("").ids
    inner = length - 1 - len(end)
    rest = np.empty(0, dtype=np.int64)
    for block in texts:
        entries = tokenizer.encode_batch_fast(block, add_special_tokens=False)
        tokens = np.concatenate([rest, *(np.array(entry.ids, dtype=np.int64) for entry in entries)])
        whole = len(tokens) // inner * inner
        rows, rest = tokens[:whole].reshape(-1, inner), tokens[whole:]
        yield Ragged.from_lists([[start, *row, *end] for row in rows.tolist()])


def start_from_skipgram(model: nn.Module, ids: Ragged, settings: EncoderSettings) -> None:
    """Initialise the embedding table with skip-gram vectors of the tokens, centred, of norm 1 on average.

    Without them a small BERT only learns parts of speech in the time it has: nearest neighbours shared a
    topic no more often than by chance. Norm 1 (a spread of 0.125 at width 64) gave the lowest validation
    loss of four spreads tried, with one seed on a toy corpus of 40,000 sentences, after one epoch: 2.39 at
    BERT's own 0.02, 2.24 at 0.05, 2.21 at 0.125, 2.27 at 0.3.
    """
    # gensim takes 1.9 s to load, and continued pre-training, which imports this module, does not need it.
    from xstitch.encoders.skipgram import train_skipgram

    rows, vectors = train_skipgram(
        ids, settings.width, settings.skipgram_window, settings.skipgram_epochs, settings.training.seed
    )
    centred = vectors - vectors.mean(axis=0)
    table = model.get_input_embeddings().weight.data
    table[torch.from_numpy(rows)] = torch.from_numpy(centred * (settings.width**-0.5 / centred.std()))


def mask_tokens(
    ids: torch.Tensor, special: torch.Tensor, mask: int, share: float, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Hide tokens as BERT does; return the new ids, the flat positions chosen and their true ids.

    Of the chosen tokens, 80 % become [MASK], 10 % a random token that is not special, and 10 % stay.
    """
    chance, kind = torch.rand((2, *ids.shape), generator=generator)
    chosen = (chance < share) & ~special[ids]
    ordinary = (~special).nonzero().squeeze(1)
    random = ordinary[torch.randint(len(ordinary), ids.shape, generator=generator)]
    hidden = torch.where(kind < 0.8, mask, torch.where(kind < 0.9, random, ids))
    positions = chosen.flatten().nonzero().squeeze(1)
    return torch.where(chosen, hidden, ids), positions, ids.flatten()[positions]


def masked_loss(model: nn.Module, batch: Mapping[str, torch.Tensor], reduction: str = "mean") -> torch.Tensor:
    """Compute the cross-entropy at the masked positions; only they get the vocabulary projection."""
    output = model.base_model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])
    hidden = output.last_hidden_state.flatten(0, 1)[batch["positions"]]
    total = nn.functional.cross_entropy(vocabulary_head(model)(hidden), batch["targets"], reduction="sum")
    # In a batch of a few short sentences nothing may be masked: its loss is 0, not 0 / 0.
    return total if reduction == "sum" else total / max(1, len(batch["targets"]))


def masked_rows(batch: Mapping[str, torch.Tensor], rows: slice) -> dict[str, torch.Tensor]:
    """Take some rows of a batch, and of its masked positions those in them."""
    number, width = batch["input_ids"].shape
    taken = torch.arange(number)[rows]
    new_rows = torch.full((number,), -1).index_put((taken,), torch.arange(len(taken)))
    lines, columns = new_rows[batch["positions"] // width], batch["positions"] % width
    kept = lines >= 0
    return {
        "input_ids": batch["input_ids"][rows],
        "attention_mask": batch["attention_mask"][rows],
        "positions": (lines * width + columns)[kept],
        "targets": batch["targets"][kept],
    }


BY_MASKED = Rows(lambda batch: len(batch["targets"]), masked_rows)


def vocabulary_head(model: nn.Module) -> nn.Module:
    """Find the part of a masked language model that scores the vocabulary; its name depends on the model."""
    head = next((getattr(model, name) for name in HEADS if hasattr(model, name)), None)
    if head is None:
        raise InputError(f"a {model.config.model_type} encoder has no known head ({', '.join(HEADS)})")
    return head


def masked_collator(
    ids: Ragged, tokenizer: PreTrainedTokenizerFast, share: float, generator: torch.Generator
) -> Callable[[np.ndarray], dict[str, torch.Tensor]]:
    """Make the function that pads rows and masks them."""
    special = torch.zeros(len(tokenizer), dtype=torch.bool)
    special[tokenizer.all_special_ids] = True
    pad, mask = tokenizer.pad_token_id, tokenizer.mask_token_id

    def collate(rows: np.ndarray) -> dict[str, torch.Tensor]:
        padded, attention = map(torch.from_numpy, ids.padded(rows, pad))
        hidden, positions, targets = mask_tokens(padded, special, mask, share, generator)
        return {"input_ids": hidden, "attention_mask": attention, "positions": positions, "targets": targets}

    return collate


def masked_stream(
    corpus: Corpus, tokenizer: PreTrainedTokenizerFast, settings: MaskedModelling
) -> BatchStream:
    """Stream training batches; masks come from torch's own generator, whose state checkpoints save."""
    schedule = settings.training
    collate = masked_collator(corpus.ids, tokenizer, settings.masked, torch.default_generator)
    select = language_sampler(corpus.training, corpus.shares, schedule.seed)
    return scheduled_batches(corpus.ids.lengths, schedule, collate, select)


def smoothed_shares(sizes: np.ndarray, exponent: float) -> np.ndarray:
    """Return the share of each language: below 1, the exponent brings large and small ones together."""
    return sizes**exponent / (sizes**exponent).sum()


def language_sampler(
    groups: Sequence[np.ndarray], shares: np.ndarray, seed: int
) -> Callable[[int], np.ndarray]:
    """Make the function that draws an epoch's rows: as many as exist, by the languages' shares."""
    total = sum(len(group) for group in groups)
    numbers = np.maximum(1, np.round(shares * total).astype(int))

    def select(epoch: int) -> np.ndarray:
        random = np.random.default_rng((seed, epoch, 1))
        parts = []
        for group, number in zip(groups, numbers, strict=True):
            whole, rest = divmod(number, len(group))
            parts += [group] * whole + [random.permutation(group)[:rest]]
        return np.concatenate(parts)

    return select


def masked_validation(
    model: nn.Module, corpus: Corpus, tokenizer: PreTrainedTokenizerFast, settings: MaskedModelling
) -> Callable[[], float]:
    """Make the function that returns the mean loss on held-out sentences, always masked the same way."""
    generator = torch.Generator().manual_seed(settings.training.seed)
    collate = masked_collator(corpus.ids, tokenizer, settings.masked, generator)
    lengths = corpus.ids.lengths[corpus.held_out]
    order = bucketed_batches(lengths, settings.training.batch_size, 0, 0, shuffle=False)
    batches = [move(collate(corpus.held_out[rows]), choose_device()) for rows in order]
    number = max(1, sum(len(batch["targets"]) for batch in batches))
    return lambda: sum(masked_loss(model, batch, "sum").item() for batch in batches) / number
