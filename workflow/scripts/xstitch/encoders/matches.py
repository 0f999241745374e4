"""What an aligned encoder considers translations: matches of the transport plan, pairs that hardly match."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from xstitch.core.progress import progress
from xstitch.encoders.bitext import Bitext, read_bitext, unit_states
from xstitch.encoders.folders import load_body
from xstitch.encoders.inputs import load_fast_tokenizer
from xstitch.encoders.transport import sinkhorn_divergence, transport_plan
from xstitch.training.batches import Ragged
from xstitch.training.devices import choose_device, evaluating, move

SHARE = 0.2  # of a word's mass: smaller parts are no matches
ROUNDING = 1e-6  # a computed fifth may be slightly less
SHORTEST, LONGEST = 4, 20  # words in a sentence that is shown
CANDIDATES = 2000  # pairs searched for the worst
BATCH = 32
Pair = tuple[str, str]
Record = dict[str, str]


def word_matches(encoder: Path, pairs: Sequence[Pair], number: int, max_length: int = 128) -> list[Record]:
    """Show where the transport plan moves each word of the first pairs of suitable length."""
    fitting = [pair for pair in pairs if all(SHORTEST <= len(side.split()) <= LONGEST for side in pair)]
    model, bitext, shown = _load(encoder, fitting[:number], max_length)
    records = []
    with evaluating(model):
        for row, pair in enumerate(shown):
            source, target = _states(model, bitext, np.array([row]))
            plan = transport_plan(source[0], target[0]) * source.shape[1]
            common = {"example": str(row + 1), "sentence": pair[0], "translation": pair[1]}
            records += [common | match for match in _matches(plan, bitext, row, pair)]
    return records


def _matches(plan: np.ndarray, bitext: Bitext, row: int, pair: Pair) -> list[Record]:
    """Make one record per word; a word beyond the cut, which the encoder does not see, has none."""
    source_words, target_words = (
        [text.split()[number] for number in _row(side.words, row)]
        for side, text in zip((bitext.source, bitext.target), pair, strict=True)
    )
    return [
        {
            "word": word,
            "matches": ", ".join(
                target
                for target, share in zip(target_words, shares, strict=True)
                if share >= SHARE - ROUNDING
            ),
        }
        for word, shares in zip(source_words, plan.tolist(), strict=True)
    ]


def unlikely_pairs(encoder: Path, pairs: Sequence[Pair], number: int, max_length: int = 128) -> list[Record]:
    """Show the pairs whose words cost most to transport, the worst first: many are not translations."""
    model, bitext, shown = _load(encoder, pairs[:CANDIDATES], max_length)
    batches = np.split(np.arange(len(shown)), range(BATCH, len(shown), BATCH))
    with evaluating(model):
        costs = torch.cat(
            [_costs(model, bitext, rows) for rows in progress(batches, "transport", unit="batch")]
        ).tolist()
    worst = sorted(range(len(shown)), key=lambda row: -round(costs[row], 5))[:number]
    return [
        {"sentence": shown[row][0], "translation": shown[row][1], "cost": f"{costs[row]:.4g}"}
        for row in worst
    ]


def _load(encoder: Path, pairs: Sequence[Pair], max_length: int) -> tuple[nn.Module, Bitext, list[Pair]]:
    """Load the encoder and the pairs in which it knows a word on both sides."""
    tokenizer, model = load_fast_tokenizer(encoder, max_length), load_body(encoder).to(choose_device())
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    bitext, kept = read_bitext(*sides, tokenizer, max_length, "words")
    return model, bitext, [pair for pair, known in zip(pairs, kept, strict=True) if known]


def _states(model: nn.Module, bitext: Bitext, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    batch = move(bitext.collate(rows), choose_device())
    return unit_states(model, batch["source"]), unit_states(model, batch["target"])


def _costs(model: nn.Module, bitext: Bitext, rows: np.ndarray) -> torch.Tensor:
    batch = move(bitext.collate(rows), choose_device())
    sides = batch["source"], batch["target"]
    return sinkhorn_divergence(*(unit_states(model, s) for s in sides), *(s["weights"] for s in sides)).cpu()


def _row(ragged: Ragged, row: int) -> list[int]:
    return ragged.values[ragged.offsets[row] : ragged.offsets[row + 1]].tolist()
