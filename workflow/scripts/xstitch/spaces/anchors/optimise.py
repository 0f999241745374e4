"""Parallel anchors from a few seeds (bootstrap): the problem, and the paper's Algorithm 1.

Of a source space all anchors are known, of a target space only the partners of the first few, the seeds. The
missing anchors start as random unit vectors. In each step the words of both spaces are represented by their
cosines to the anchors; every target word is assigned a source word by one Sinkhorn iteration; and the missing
anchors move so that the target words' representations come nearer to those of the words assigned to them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
import pyarrow as pa
import torch
from scipy.optimize import linear_sum_assignment

from xstitch.core.errors import InputError
from xstitch.core.progress import progress
from xstitch.spaces.anchors.sinkhorn import SinkhornSettings, assign_columns
from xstitch.spaces.neighbours import to_device, unit
from xstitch.vectors.table import Vectors

LOG = logging.getLogger("xstitch")
UNKNOWN = -1  # the partner of a word that has none, or none that is known


@dataclass(frozen=True)
class SeededSpaces:
    """Two spaces of any sizes and dimensions, and what is known of their anchors.

    `anchors` are rows of the source; `seeds` are the rows of the target that belong to the first of them.
    `partners` has the true target row of each source row, or UNKNOWN: it is for measuring alone.
    """

    source: np.ndarray
    target: np.ndarray
    anchors: np.ndarray
    seeds: np.ndarray
    partners: np.ndarray | None = None

    def __post_init__(self) -> None:
        if not 0 < len(self.seeds) <= len(self.anchors):
            raise InputError(f"{len(self.anchors)} anchors need between 1 and as many seeds")
        for name, rows, matrix in (
            ("anchors", self.anchors, self.source),
            ("seeds", self.seeds, self.target),
        ):
            if len(np.unique(rows)) < len(rows):
                raise InputError(f"{name}: a word stands among them twice")
            if len(matrix) < len(self.anchors):
                raise InputError(f"{len(self.anchors)} anchors in a space of {len(matrix)} words: take fewer")
            if not np.isfinite(matrix).all():
                raise InputError("the vectors hold numbers that are not finite: import them again")

    @property
    def true_anchors(self) -> np.ndarray:
        """The target vectors of all anchors, which only a measurement may know."""
        return self.target[self.partners[self.anchors]]

    @property
    def seed_anchors(self) -> np.ndarray:
        """The target vectors of the seeds."""
        return self.target[self.seeds]

    @property
    def sources(self) -> np.ndarray:
        """The true source row of each target row, or UNKNOWN."""
        rows = np.full(len(self.target), UNKNOWN)
        known = np.flatnonzero(self.partners != UNKNOWN)
        rows[self.partners[known]] = known
        return rows

    def exchanged(self) -> SeededSpaces:
        """Exchange the roles: the same anchors, all known in the target and only the seeds in the source."""
        seeds = self.anchors[: len(self.seeds)]
        return SeededSpaces(self.target, self.source, self.partners[self.anchors], seeds, self.sources)


@dataclass(frozen=True)
class OptimisationSettings:
    """How the anchors are optimised; the defaults are those of bootstrap, Table 3, for retrieval."""

    steps: int = 250
    learning_rate: float = 0.02
    sinkhorn: SinkhornSettings = field(default_factory=SinkhornSettings)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise InputError(f"steps must be at least 1, not {self.steps}")
        if self.learning_rate <= 0:
            raise InputError(f"learning_rate must be above 0, not {self.learning_rate}")


@dataclass(frozen=True)
class Step:
    """One step: the loss, and the share of target words that were assigned their partner (percent)."""

    step: int
    loss: float
    accuracy: float | None


@dataclass(frozen=True)
class FoundAnchors:
    """Unit vectors in the target space, one an anchor; distinct words for them; the way there."""

    vectors: np.ndarray
    rows: np.ndarray
    history: pa.Table


def draw_anchors(words: int, anchors: int, seed: int) -> np.ndarray:
    """Draw the rows of distinct anchors; the first of them are the seeds."""
    if anchors > words:
        raise InputError(f"{anchors} anchors cannot be drawn from {words} words: take fewer")
    return np.random.default_rng(seed).choice(words, anchors, replace=False)


def pair_spaces(
    source: Vectors, target: Vectors, words: Sequence[str], anchors: int, seeds: int, seed: int
) -> SeededSpaces:
    """Take shared words from two spaces and draw anchors and seeds.

    Each side keeps its own order of frequency: the place of a word does not tell its partner.
    """
    left, right = (np.sort([side.index[word] for word in words]) for side in (source, target))
    places = {target.words[row]: place for place, row in enumerate(right)}
    partners = np.array([places[source.words[row]] for row in left])
    chosen = draw_anchors(len(left), anchors, seed)
    return SeededSpaces(source.matrix[left], target.matrix[right], chosen, partners[chosen[:seeds]], partners)


def optimise_anchors(spaces: SeededSpaces, settings: OptimisationSettings) -> FoundAnchors:
    """Run Algorithm 1: seeds stay as they are, the other anchors are set on the sphere after each step."""
    source, target = (unit(to_device(side)) for side in (spaces.source, spaces.target))
    wanted = source @ source[_rows(spaces.anchors, source)].T
    seeds = target[_rows(spaces.seeds, target)]
    missing = _random_units(len(spaces.anchors) - len(seeds), target, settings.seed).requires_grad_()
    optimiser = torch.optim.Adam([missing], lr=settings.learning_rate)
    accuracy = _accuracy_of(spaces)
    history = []
    for number in progress(range(1, settings.steps + 1), "anchor optimisation", unit="step"):
        given = target @ torch.cat([seeds, missing]).T
        assigned = assign_columns(wanted, given.detach(), settings.sinkhorn)
        loss = torch.nn.functional.mse_loss(given, wanted[assigned])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            missing.copy_(unit(missing))
        history.append(Step(number, float(loss.detach()), accuracy(assigned)))
        _report(history[-1])
    vectors = torch.cat([seeds, missing.detach()]).cpu().numpy()
    return FoundAnchors(vectors, nearest_words(vectors, target.cpu().numpy(), spaces.seeds), _table(history))


def nearest_words(vectors: np.ndarray, words: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Find distinct words for the anchors, the nearest on the whole; the first anchors are the seeds."""
    scores = vectors[len(seeds) :] @ words.T
    return distinct_words(scores, seeds)


def distinct_words(scores: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Give every anchor after the seeds a word of its own so that the sum of scores is the largest."""
    scores = scores.copy()
    scores[:, seeds] = -np.inf  # they are taken
    return np.concatenate([seeds, linear_sum_assignment(scores, maximize=True)[1]])


def _random_units(count: int, like: torch.Tensor, seed: int) -> torch.Tensor:
    """Draw on the processor: the same seed gives the same start on every device."""
    generator = torch.Generator().manual_seed(seed)
    return unit(torch.randn(count, like.shape[1], generator=generator)).to(like.device)


def _accuracy_of(spaces: SeededSpaces) -> Callable[[torch.Tensor], float | None]:
    """Prepare the share of target words, in percent, that are assigned their true partner."""
    if spaces.partners is None:
        return lambda _: None
    known = np.flatnonzero(spaces.partners != UNKNOWN)
    places = torch.from_numpy(spaces.partners[known])
    truth = torch.from_numpy(known)
    return lambda assigned: 100 * float((assigned.cpu()[places] == truth).float().mean())


def _rows(rows: np.ndarray, matrix: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(rows).to(matrix.device)


def _table(history: list[Step]) -> pa.Table:
    schema = pa.schema([("step", pa.int32()), ("loss", pa.float64()), ("accuracy", pa.float64())])
    return pa.Table.from_pylist([asdict(step) for step in history], schema=schema)


def _report(step: Step) -> None:
    accuracy = "" if step.accuracy is None else f", accuracy {step.accuracy:.2f} %"
    LOG.info("step %d: loss %.6f%s", step.step, step.loss, accuracy)
