"""Alignment of an encoder's languages by parallel sentences: WordOT, and the L2 baseline (wordot 4, 5.4).

Every update adds up the losses of all language pairs, each on its own batch. Sentences of the source language
of transfer (English) stay where the original encoder had them; their translations move towards them.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from xstitch.core.errors import InputError
from xstitch.core.parquet import read_table
from xstitch.encoders.bitext import Bitext, SideBySide, pairs_stream, read_bitext, unit_states
from xstitch.encoders.folders import load_body, save_trained
from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.encoders.linked_pairs import load_links, short_pairs
from xstitch.encoders.settings.wordot import WordotSettings
from xstitch.encoders.transport import shift, sinkhorn_divergence
from xstitch.training.checkpoints import Checkpoint
from xstitch.training.devices import choose_device, seed_all
from xstitch.training.history import History
from xstitch.training.loop import MakeOptimiser, Objective, adamw, train_jointly
from xstitch.training.shares import WHOLE

LOG = logging.getLogger("xstitch")
Loss = Callable[[Mapping[str, Any]], torch.Tensor]


def align_encoder(
    encoder: Path,
    parallel: Mapping[str, Path],
    settings: WordotSettings,
    output: Path,
    checkpoint: Checkpoint | None = None,
    links: Mapping[str, Path] | None = None,
) -> History:
    """Align an encoder folder by one Parquet of sentence pairs per language, with English targets.

    The L2 baseline needs the links between their words, one file per language.
    """
    schedule = settings.training
    seed_all(schedule.seed)
    tokenizer, model = load_fast_tokenizer(encoder, settings.max_length), load_body(encoder)
    if (settings.layer or 1) > (layers := model.config.num_hidden_layers):
        raise InputError(f"{encoder}: layer is {settings.layer}, but the encoder has layers 1 to {layers}")
    frozen = copy.deepcopy(model).eval().requires_grad_(False).to(choose_device())
    if settings.loss == "l2":
        objectives = l2_objectives(model, frozen, _read(parallel, tokenizer, settings, links), settings)
    else:
        bitexts = read_bitexts(parallel, tokenizer, settings)
        objectives = transport_objectives(model, frozen, bitexts, settings)
    history = train_jointly(
        *(model, objectives, schedule),
        checkpoint=checkpoint,
        label="alignment",
        optimiser=cao_adam if settings.loss == "l2" else adamw,
    )
    save_trained(output, model, tokenizer, history, checkpoint)
    return history


# Cao et al. (2020): Adam with different constants from torch's.
cao_adam: MakeOptimiser = partial(adamw, betas=(0.9, 0.98), eps=1e-9)


def read_bitexts(parallel: Mapping[str, Path], tokenizer: Any, settings: WordotSettings) -> dict[str, Bitext]:
    """Tokenise the pairs of every language."""
    return {language: bitext for language, (bitext, _) in _read(parallel, tokenizer, settings).items()}


def _read(
    parallel: Mapping[str, Path],
    tokenizer: Any,
    settings: WordotSettings,
    linked: Mapping[str, Path] | None = None,
) -> dict[str, tuple[Bitext, list[np.ndarray]]]:
    """Tokenise the pairs of every language; read the links between their words if there are any."""
    bitexts = {}
    for language, path in parallel.items():
        table = read_table(path, ["source", "target"])
        texts = [table[name].to_pylist() for name in ("source", "target")]
        short = short_pairs(*texts, settings.max_words)
        if not short.any():
            raise InputError(f"{path}: holds no sentence pair that is short enough")
        sides = [list(compress(side, short)) for side in texts]
        # Cao et al. link special tokens, too; WordOT moves words only.
        bitext, kept = read_bitext(
            *(*sides, tokenizer, settings.max_length, settings.units), specials=linked is not None
        )
        if not len(bitext):
            raise InputError(f"{path}: holds no sentence pair with words that the encoder knows")
        LOG.info("%s: %d pairs of sentences", language, len(bitext))
        links = []
        if linked:
            links = list(compress(load_links(linked[language], len(short)), short))
            links = list(compress(with_specials(links, *sides), kept))
        bitexts[language] = bitext, links
    return bitexts


def with_specials(
    links: Sequence[np.ndarray], source: Sequence[str], target: Sequence[str]
) -> list[np.ndarray]:
    """Link the special tokens around both sentences of each pair as well."""
    return [
        np.concatenate([[(-1, -1)], found, [(len(first.split()), len(second.split()))]])
        for found, first, second in zip(links, source, target, strict=True)
    ]


def transport_objectives(
    model: nn.Module, frozen: nn.Module, bitexts: Mapping[str, Bitext], settings: WordotSettings
) -> dict[str, Objective]:
    """Make one objective per language, or a single one if languages share their transport problems."""
    loss, schedule = transport_loss(model, frozen, settings), settings.training
    # Sentences that are a problem together must be a random sample: not all of the same length.
    bucketed = settings.problem == "sentence" and schedule.batches == "by-length"
    streams = {
        language: pairs_stream(bitext, settings.pairs, schedule.batch_size, schedule.seed, bucketed)
        for language, bitext in bitexts.items()
    }
    if settings.problem == "together":
        return {"all": Objective(loss, SideBySide(streams), sharing=WHOLE)}
    # Sentences that are problems of their own are not independent either: eps starts at the batch's diameter.
    return {language: Objective(loss, stream, sharing=WHOLE) for language, stream in streams.items()}


def transport_loss(model: nn.Module, frozen: nn.Module, settings: WordotSettings) -> Loss:
    """Make the function that returns a batch's mean transport cost plus how far English moved.

    The paper sums over problems instead of averaging: a constant factor, which does not affect Adam.
    """
    states = partial(unit_states, subword=settings.subword, layer=settings.layer)

    def loss(batch: Mapping[str, Any]) -> torch.Tensor:
        parts = batch.values() if settings.problem == "together" else [batch]
        problems = [sentence_problems(model, frozen, part, states) for part in parts]
        one = problems[0] if settings.problem == "sentence" else one_problem(problems)
        cost = sinkhorn_divergence(
            one.source, one.target, *(one.source_weights, one.target_weights), settings.blur, settings.cost
        )
        return (cost + settings.anchoring * drift(one, settings.drift)).mean()

    return loss


@dataclass(frozen=True)
class Problems:
    """Transport problems: clouds of words (problems x words x width) and the words' weights."""

    source: torch.Tensor
    target: torch.Tensor
    before: torch.Tensor  # where the original encoder had the target words
    source_weights: torch.Tensor  # 0 for padding
    target_weights: torch.Tensor


def sentence_problems(
    model: nn.Module, frozen: nn.Module, batch: Mapping[str, Any], states: Callable[..., torch.Tensor]
) -> Problems:
    """Make every sentence pair of a batch a problem; `states` returns those of the words of one side."""
    source, target = batch["source"], batch["target"]
    with torch.no_grad():
        before = states(frozen, target)
    clouds = states(model, source), states(model, target)
    return Problems(*clouds, before, source["weights"], target["weights"])


def one_problem(parts: Sequence[Problems]) -> Problems:
    """Put the words of all sentences into one problem, in which all have the same weight."""
    source = torch.cat([part.source[part.source_weights > 0] for part in parts])[None]
    target, before = (
        torch.cat([getattr(part, name)[part.target_weights > 0] for part in parts])[None]
        for name in ("target", "before")
    )
    return Problems(source, target, before, even_weights(source), even_weights(target))


def even_weights(states: torch.Tensor) -> torch.Tensor:
    """Give every point the same weight."""
    return states.new_full(states.shape[:2], 1 / states.shape[1], dtype=torch.float32)


def drift(problems: Problems, over: str) -> torch.Tensor:
    """Measure how far the target words of each problem moved: the sum or the mean of squared differences."""
    moved = shift(problems.target, problems.before, problems.target_weights)
    if over == "sum":
        return moved
    return moved / ((problems.target_weights > 0).sum(dim=1) * problems.target.shape[2])


def l2_objectives(
    model: nn.Module,
    frozen: nn.Module,
    linked: Mapping[str, tuple[Bitext, list[np.ndarray]]],
    settings: WordotSettings,
) -> dict[str, Objective]:
    """Make one objective per language: each batch comes with the links between its words."""
    schedule, objectives = settings.training, {}
    for language, (bitext, links) in linked.items():
        collate, by_length = linked_collator(bitext, links), schedule.batches == "by-length"
        stream = pairs_stream(bitext, settings.pairs, schedule.batch_size, schedule.seed, by_length, collate)
        # Two means: over links, and over words.
        loss = l2_loss(model, frozen, settings.anchoring)
        objectives[language] = Objective(loss, stream, sharing=WHOLE)
    return objectives


def linked_collator(bitext: Bitext, links: list[np.ndarray]) -> Callable[[np.ndarray], dict[str, Any]]:
    """Make the function that adds links to a batch: row, number of the source unit, of the target unit."""
    packed = [unit_links(bitext, row, word_pairs) for row, word_pairs in enumerate(links)]

    def collate(rows: np.ndarray) -> dict[str, Any]:
        chosen = [packed[row] for row in rows]
        numbers = np.repeat(np.arange(len(rows)), [len(pairs) for pairs in chosen])
        joined = np.column_stack([numbers, np.concatenate(chosen)])
        return {**bitext.collate(rows), "links": torch.from_numpy(joined)}

    return collate


def unit_links(bitext: Bitext, row: int, links: np.ndarray) -> np.ndarray:
    """Turn links between words of a pair into links between its units; words beyond the cut have none."""
    units = []
    for number, side in enumerate((bitext.source, bitext.target)):
        words = side.words.values[side.words.offsets[row] : side.words.offsets[row + 1]]
        candidates = np.searchsorted(words, links[:, number])
        seen = candidates < len(words)
        seen[seen] = words[candidates[seen]] == links[seen, number]
        units.append(np.where(seen, candidates, -1))
    both = np.stack(units, axis=1).astype(np.int64)
    return both[(both >= 0).all(axis=1)]


def l2_loss(model: nn.Module, frozen: nn.Module, anchoring: float) -> Loss:
    """Make the function that compares linked words, and English words with their original states."""

    def loss(batch: Mapping[str, Any]) -> torch.Tensor:
        source, target = unit_states(model, batch["source"]), unit_states(model, batch["target"])
        with torch.no_grad():
            before = unit_states(frozen, batch["target"])
        rows, first, second = batch["links"].T
        real = batch["target"]["weights"] > 0
        drift = nn.functional.mse_loss(target[real], before[real])
        if not len(rows):
            return anchoring * drift
        return nn.functional.mse_loss(source[rows, first], before[rows, second]) + anchoring * drift

    return loss
