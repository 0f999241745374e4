"""Parallel anchors from a few seeds by the paper's Algorithm 1 (bootstrap).

The missing anchors start as random unit vectors. In each step the words of both spaces are represented by
their cosines to the anchors; every target word is assigned a source word by one Sinkhorn iteration; and the
anchors move so that the target words' representations come closer to those of their assigned words. Equation
1 moves all of them; with `hold_seeds`, the seeds stay at their words, which are known.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa
import torch

from xstitch.core.progress import progress
from xstitch.spaces.anchors.problem import UNKNOWN, FoundAnchors, SeededSpaces, distinct_words
from xstitch.spaces.anchors.sinkhorn import assign_columns
from xstitch.spaces.neighbours import to_device, unit
from xstitch.spaces.settings.search import OptimisationSettings

LOG = logging.getLogger("xstitch")


@dataclass(frozen=True)
class Step:
    """One step: the loss, and the percentage of target words that were assigned their true partner."""

    step: int
    loss: float
    accuracy: float | None


def optimise_anchors(spaces: SeededSpaces, settings: OptimisationSettings) -> FoundAnchors:
    """Run Algorithm 1; the anchors that move are put back on the sphere after each step."""
    source, target = (unit(to_device(side)) for side in (spaces.source, spaces.target))
    wanted = source @ source[_rows(spaces.anchors, source)].T
    seeds = target[_rows(spaces.seeds, target)]
    missing = _random_units(len(spaces.anchors) - len(seeds), target, settings.seed)
    held, moving = (seeds, missing) if settings.hold_seeds else (seeds[:0], torch.cat([seeds, missing]))
    moving.requires_grad_()
    optimiser = torch.optim.Adam([moving], lr=settings.learning_rate)
    accuracy = _accuracy_of(spaces)
    history = []
    for number in progress(range(1, settings.steps + 1), "anchor optimisation", unit="step"):
        given = target @ torch.cat([held, moving]).T
        assigned = assign_columns(wanted, given.detach(), settings.sinkhorn)
        loss = torch.nn.functional.mse_loss(given, wanted[assigned])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            moving.copy_(unit(moving))
        history.append(Step(number, float(loss.detach()), accuracy(assigned)))
        _report(history[-1])
    vectors = torch.cat([held, moving.detach()]).cpu().numpy()
    rows = nearest_words(vectors, target.cpu().numpy(), spaces.seeds[: len(held)])
    return FoundAnchors(vectors, rows, _table(history))


def nearest_words(vectors: np.ndarray, words: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Find distinct words for the anchors, the nearest overall; the first anchors are the seeds, if held."""
    scores = vectors[len(seeds) :] @ words.T
    return distinct_words(scores, seeds)


def _random_units(count: int, like: torch.Tensor, seed: int) -> torch.Tensor:
    """Draw on the CPU: the same seed gives the same start on every device."""
    generator = torch.Generator().manual_seed(seed)
    return unit(torch.randn(count, like.shape[1], generator=generator)).to(like.device)


def _accuracy_of(spaces: SeededSpaces) -> Callable[[torch.Tensor], float | None]:
    """Prepare a function for the percentage of target words that are assigned their true partner."""
    if spaces.partners is None:
        return lambda _: None
    known = np.flatnonzero(spaces.partners != UNKNOWN)
    partners = torch.from_numpy(spaces.partners[known])
    truth = torch.from_numpy(known)
    return lambda assigned: 100 * float((assigned.cpu()[partners] == truth).float().mean())


def _rows(rows: np.ndarray, matrix: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(rows).to(matrix.device)


def _table(history: list[Step]) -> pa.Table:
    schema = pa.schema([("step", pa.int32()), ("loss", pa.float64()), ("accuracy", pa.float64())])
    return pa.Table.from_pylist([asdict(step) for step in history], schema=schema)


def _report(step: Step) -> None:
    accuracy = "" if step.accuracy is None else f", accuracy {step.accuracy:.2f} %"
    LOG.info("step %d: loss %.6f%s", step.step, step.loss, accuracy)
