"""Grow a dictionary from a weak start: map by it, induce a new one from the map, repeat (VecMap's loop).

Inside the loop the map is plain orthogonal. Each iteration draws which scores may win (`keep`); after
`patience` iterations without a better objective the share doubles, and after as many with all scores kept the
loop ends. The objective is the mean cosine of every word to its nearest on the other side, in percent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from xstitch.core.progress import progress
from xstitch.spaces.best import Top
from xstitch.spaces.csls import Discounted, gold_ranks, group_pairs, with_csls
from xstitch.spaces.learning_state import Iteration, Keeper, Learned, Run
from xstitch.spaces.neighbours import mutual_nearest, to_device
from xstitch.spaces.settings.alignment import SelfLearning
from xstitch.training.checkpoints import Checkpoint

LOG = logging.getLogger("xstitch")


@dataclass(frozen=True)
class State:
    """Mapped source and target words, the nearest of each on the other side, and the objective."""

    left: torch.Tensor
    right: torch.Tensor
    of_left: Top
    of_right: Top
    objective: float

    @property
    def near(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The numbers of every word's nearest on the other side."""
        return self.of_left.indices, self.of_right.indices

    def with_csls(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return both sides with the dimensions that make their dot products half the CSLS scores."""
        return with_csls(self.left, self.right, _means(self.of_left), _means(self.of_right))


def learn_dictionary(
    x: np.ndarray,
    z: np.ndarray,
    start: np.ndarray,
    settings: SelfLearning,
    held_out: np.ndarray | None = None,
    checkpoint: Checkpoint | None = None,
) -> Learned:
    """Learn from the starting pairs `restarts` times and return the run with the best objective.

    For a hard language pair the draws decide where a run ends; the objective, which needs no dictionary,
    shows how good that is. A killed job with a checkpoint goes on at its last saved iteration.
    """
    source, target = to_device(x), to_device(z)
    keeper = Keeper(checkpoint, settings)
    run = keeper.resume(source.device) or _new_run(settings.seed, start, settings)
    while True:
        keeper.finish(_learn_once(source, target, run, settings, held_out, keeper))
        if run.seed == settings.seed + settings.restarts - 1:
            return keeper.finished
        run = _new_run(run.seed + 1, start, settings)


def _new_run(seed: int, start: np.ndarray, settings: SelfLearning) -> Run:
    return Run(seed, start, settings.keep, torch.Generator().manual_seed(seed))


def _learn_once(
    source: torch.Tensor,
    target: torch.Tensor,
    run: Run,
    settings: SelfLearning,
    held_out: np.ndarray | None,
    keeper: Keeper,
) -> Learned:
    """Iterate until nothing improves; return what the best map induces, with all scores kept.

    The last round need not be the best: with scores dropped, the objective goes up and down.
    """
    check, done = _accuracy_check(held_out, settings), len(run.history)
    numbers = range(done + 1, settings.max_iterations + 1)
    with progress(
        numbers, "self-learning", total=settings.max_iterations, unit="iteration", initial=done
    ) as bar:
        for number in bar:
            rotation = find_rotation(source, target, run.rows)
            state = evaluate(source, target, rotation, settings, run.near)
            run.near = state.near
            run.history.append(
                Iteration(number, run.keep, len(run.rows), 100 * state.objective, check(state))
            )
            _report(run.history[-1])
            if _settles(run, state.objective, rotation, settings):
                break
            run.rows = induce(state, run.keep, run.generator)
            keeper.save_if_due(run)
        else:
            LOG.warning(
                "self-learning stopped at max_iterations (%d) before it settled", settings.max_iterations
            )
    return _final(evaluate(source, target, run.best_map, settings, run.near), run.history)


def _settles(run: Run, objective: float, rotation: torch.Tensor, settings: SelfLearning) -> bool:
    """Note an iteration's objective, keep a larger share of the scores if it is time, say if that was all."""
    if objective > run.best:
        run.best, run.best_map = objective, rotation
    # A gain below the threshold is kept, but does not prolong the search.
    if run.best >= run.best_before + settings.threshold:
        run.idle, run.best_before = 0, run.best
    else:
        run.idle += 1
    if run.idle <= settings.patience:
        return False
    if run.keep >= 1:
        return True
    run.keep, run.idle = min(1.0, run.keep * settings.growth), 0
    return False


def start_unsupervised(
    x: np.ndarray, z: np.ndarray, settings: SelfLearning, normalise: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Pair the words whose similarities within their own language are distributed alike."""
    size = min(len(x), len(z), settings.start_words)
    left, right = (to_device(normalise(_sorted_root(side[:size]))) for side in (x, z))
    return induce(_scored(left, right, settings.csls_k), 1.0, torch.Generator())


def evaluate(
    source: torch.Tensor,
    target: torch.Tensor,
    rotation: torch.Tensor,
    settings: SelfLearning,
    near: tuple[torch.Tensor, torch.Tensor] | None = None,
) -> State:
    """Map the frequent words and compute CSLS means and the objective.

    What was nearest by the last map, most of which is so still, makes it faster.
    """
    size = settings.vocabulary
    return _scored(source[:size] @ rotation, target[:size], settings.csls_k, near)


def induce(state: State, keep: float, generator: torch.Generator) -> np.ndarray:
    """Pair every word with its best translation by CSLS, in both directions, among the scores kept."""
    # A word's own mean shifts all its scores equally: only half the other word's mean matters.
    forward = Discounted(state.left, state.right, state.of_left, state.of_right, _means(state.of_right) / 2)
    backward = Discounted(state.right, state.left, state.of_right, state.of_left, _means(state.of_left) / 2)
    targets, sources = (side.best(keep, generator).cpu().numpy() for side in (forward, backward))
    return np.concatenate(
        [
            np.stack([np.arange(len(targets)), targets], axis=1),
            np.stack([sources, np.arange(len(sources))], axis=1),
        ]
    )


def _scored(
    left: torch.Tensor, right: torch.Tensor, k: int, near: tuple[torch.Tensor, torch.Tensor] | None = None
) -> State:
    tops = mutual_nearest(left, right, k, near)
    # In float64: a float32 sum of twenty thousand numbers loses more than the threshold.
    objective = sum(float(top.values[:, 0].double().mean()) for top in tops) / 2
    return State(left, right, *tops, objective)


def _means(top: Top) -> torch.Tensor:
    return top.values.mean(dim=1)


def _final(state: State, history: list[Iteration]) -> Learned:
    rows = induce(state, 1.0, torch.Generator())
    pairs = torch.from_numpy(rows).to(state.left.device)
    left, right = state.with_csls()
    # The dot product is half a CSLS score: 2 cos - r - r.
    scores = 2 * (left[pairs[:, 0]] * right[pairs[:, 1]]).sum(dim=1)
    return Learned(rows, scores.cpu().numpy(), history)


def find_rotation(source: torch.Tensor, target: torch.Tensor, rows: np.ndarray) -> torch.Tensor:
    """Find the rotation that brings the source words nearest to the target words of the pairs."""
    pairs = torch.from_numpy(rows).to(source.device)
    u, _, vt = torch.linalg.svd((source[pairs[:, 0]].T @ target[pairs[:, 1]]).double())
    return (u @ vt).float()


def _sorted_root(rows: np.ndarray) -> np.ndarray:
    """Sort each row of the square root of rows rows^T; from U S V^T it is U S U^T."""
    u, s, _ = np.linalg.svd(rows, full_matrices=False)
    return np.sort((u * s) @ u.T, axis=1)


def _accuracy_check(held_out: np.ndarray | None, settings: SelfLearning) -> Callable[[State], float | None]:
    """Prepare a function for P@1 by CSLS, among the loop's words, on a dictionary the loop never sees."""
    inside = [] if held_out is None else held_out[(held_out < settings.vocabulary).all(axis=1)]
    if not len(inside):
        return lambda _: None
    queries, gold = group_pairs(inside)
    rows = torch.from_numpy(queries)

    def check(state: State) -> float:
        left, right = state.with_csls()
        ranks = gold_ranks(left[rows.to(left.device)], right, gold)
        return 100 * float((ranks == 0).mean())

    return check


def _report(step: Iteration) -> None:
    accuracy = "" if step.accuracy is None else f", accuracy {step.accuracy:.2f} %"
    LOG.info(
        "iteration %d: keep %.2f, %d pairs, objective %.4f %%%s",
        step.iteration,
        step.keep,
        step.pairs,
        step.objective,
        accuracy,
    )
