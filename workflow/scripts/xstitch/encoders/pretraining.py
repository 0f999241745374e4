"""Masked language modelling, and pre-training small BERTs with it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from xstitch.core.parquet import stream_column
from xstitch.core.progress import progress
from xstitch.encoders.folders import save_trained
from xstitch.encoders.settings.pretraining import EncoderSettings, MaskedModelling
from xstitch.encoders.wordpiece import SPECIAL, blocks, train_wordpiece
from xstitch.training.batches import BatchStream, Ragged, bucketed_batches, scheduled_batches
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, move, seed_all
from xstitch.training.history import History
from xstitch.training.loop import train

LOG = logging.getLogger("xstitch")
BLOCK = 10_000  # sentences tokenised at once
HEADS = ("cls", "lm_head")  # BERT's and RoBERTa's names for what scores the vocabulary


@dataclass(frozen=True)
class Corpus:
    """All sentences as token ids, language after language, split into training and held-out rows."""

    ids: Ragged
    training: list[np.ndarray]
    held_out: np.ndarray


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
    random = np.random.default_rng(settings.training.seed)
    read = text_blocks if settings.blocks else _sentences
    parts, training, held_out, start = [], [], [], 0
    for language, path in corpora.items():
        texts = progress(blocks(stream_column(path, "text"), BLOCK), f"tokenising {language}", unit="block")
        tokenised = read(texts, tokenizer, settings.max_length)
        size = sum(len(part) for part in tokenised)
        if size < 2:
            what = f"blocks of {settings.max_length} tokens" if settings.blocks else "sentences"
            raise InputError(f"{path}: the corpus of {language} has {size} {what}; at least 2 are needed")
        rows = start + random.permutation(size)
        count = max(1, min(settings.held_out, size // 10))
        held_out.append(rows[:count])
        training.append(np.sort(rows[count:]))
        parts += tokenised
        start += size
    corpus = Corpus(Ragged.join(parts), training, np.concatenate(held_out))
    LOG.info("%d sentences, %d tokens", len(corpus.ids), len(corpus.ids.values))
    return corpus


def _sentences(texts: Iterable[list[str]], tokenizer: Tokenizer, length: int) -> list[Ragged]:
    tokenizer.enable_truncation(length)
    tokenised = [
        Ragged.from_lists([entry.ids for entry in tokenizer.encode_batch_fast(block)]) for block in texts
    ]
    tokenizer.no_truncation()
    return tokenised


def text_blocks(texts: Iterable[list[str]], tokenizer: Tokenizer, length: int) -> list[Ragged]:
    """Cut running text into blocks of `length` tokens, specials included; drop the remainder."""
    start, *end = tokenizer.encode("").ids
    inner = length - 1 - len(end)
    rest, tokenised = np.empty(0, dtype=np.int64), []
    for block in texts:
        entries = tokenizer.encode_batch_fast(block, add_special_tokens=False)
        tokens = np.concatenate([rest, *(np.array(entry.ids, dtype=np.int64) for entry in entries)])
        whole = len(tokens) // inner * inner
        rows, rest = tokens[:whole].reshape(-1, inner), tokens[whole:]
        tokenised.append(Ragged.from_lists([[start, *row, *end] for row in rows.tolist()]))
    return tokenised


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
    select = language_sampler(corpus.training, settings.language_exponent, schedule.seed)
    return scheduled_batches(corpus.ids.lengths, schedule, collate, select)


def language_sampler(groups: Sequence[np.ndarray], exponent: float, seed: int) -> Callable[[int], np.ndarray]:
    """Make the function that draws an epoch's rows: as many as exist, languages by smoothed shares."""
    sizes = np.array([len(group) for group in groups])
    shares = sizes**exponent / (sizes**exponent).sum()
    numbers = np.maximum(1, np.round(shares * sizes.sum()).astype(int))

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
