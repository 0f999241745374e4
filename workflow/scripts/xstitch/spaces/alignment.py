"""Alignments by their configured names: one entry point for every way to bring two spaces together."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.spaces.aligned import Sides, known_pairs
from xstitch.spaces.csls import csls_ranks, group_pairs
from xstitch.spaces.neighbours import to_device, unit
from xstitch.spaces.rcsls import align_rcsls
from xstitch.spaces.settings.alignment import RcslsSettings, SelfLearning, VecmapSettings
from xstitch.spaces.vecmap import Alignment, align
from xstitch.training.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from xstitch.vectors.table import Vectors

LOG = logging.getLogger("xstitch")
FOLDS = 5  # parts of an induced dictionary, held out in turn to decide between aligned and unaligned
MEASURED = 200_000  # most frequent words of each side that take part, as in MUSE's evaluation
CSLS_K = 10
TRUSTED = 20.0  # held-out P@1, in percent, below which an induced dictionary counts as noise


def align_pair(
    source: Vectors,
    target: Vectors,
    dictionary: pa.Table | None,
    settings: Mapping[str, Any],
    seed: int,
    validation: pa.Table | None = None,
    checkpoint: Checkpoint | None = None,
) -> Alignment:
    """Align two spaces by a configured method; with `select`, keep them as they are where that is better.

    Self-learning logs its accuracy on a `validation` dictionary but decides nothing by it. With a checkpoint,
    a killed job goes on where it was.
    """
    method = settings["method"]
    if method == "none":
        return unaligned(source, target)
    if method == "rcsls":
        mapped = align_rcsls(source, target, dictionary, _build(RcslsSettings, settings))
        return Alignment(mapped.source, mapped.target, dictionary, [])
    learning = _build(SelfLearning, {**settings, "seed": seed})
    prepared = VecmapSettings(method, settings.get("reweight", 0.5), learning)
    if settings.get("select"):
        return _better(source, target, dictionary, prepared, seed, checkpoint)
    return align(source, target, dictionary, prepared, validation, checkpoint)


def unaligned(source: Vectors, target: Vectors) -> Alignment:
    """Leave both spaces as they are; there is no dictionary behind them."""
    empty = pa.table({"source": pa.array([], pa.string()), "target": pa.array([], pa.string())})
    return Alignment(source.matrix, target.matrix, empty, [])


def _better(
    source: Vectors,
    target: Vectors,
    dictionary: pa.Table,
    settings: VecmapSettings,
    seed: int,
    checkpoint: Checkpoint | None,
) -> Alignment:
    """Keep the vectors as they are if held-out parts of the dictionary show that aligning does harm.

    The test dictionary is never used: that would be choosing by the answer. Harm is a loss of more than one
    standard error over the parts. If a map learned from some pairs cannot find the others, the dictionary is
    noise, and so is the comparison.
    """
    # Rows are ordered by computed scores; folds must not depend on that order.
    dictionary = dictionary.sort_by([("source", "ascending"), ("target", "ascending")])
    fold = np.random.default_rng(seed).permutation(len(dictionary)) % FOLDS
    plain, trials = unaligned(source, target), _finished_trials(checkpoint)
    for number in range(len(trials), FOLDS):
        train, test = dictionary.filter(fold != number), dictionary.filter(fold == number)
        learning = _part(checkpoint, f"fold-{number}")
        sides = (align(source, target, train, settings, checkpoint=learning), plain)
        trials.append([_precision(source, target, side, test) for side in sides])
        _keep_trials(checkpoint, trials)
    (aligned_score, plain_score), gains = np.mean(trials, axis=0), -np.diff(trials)[:, 0]
    error = gains.std(ddof=1) / np.sqrt(FOLDS)
    LOG.info("held-out P@1: %.2f aligned, %.2f unaligned", aligned_score, plain_score)
    harmed = gains.mean() < -error or aligned_score < TRUSTED
    if harmed:
        return plain
    return align(source, target, dictionary, settings, checkpoint=_part(checkpoint, "whole"))


def _part(checkpoint: Checkpoint | None, name: str) -> Checkpoint | None:
    """Return the checkpoint of a part of a job, in a folder of its own."""
    return checkpoint and replace(checkpoint, folder=checkpoint.folder / name)


def _finished_trials(checkpoint: Checkpoint | None) -> list[list[float]]:
    """Return the precisions of the parts that a killed job had already held out."""
    folds = _part(checkpoint, "folds")
    saved = folds and load_checkpoint(folds.folder, folds.fingerprint)
    return saved[1] if saved else []


def _keep_trials(checkpoint: Checkpoint | None, trials: list[list[float]]) -> None:
    """Write the precisions down after every part: at paper scale one takes longer than five minutes."""
    if folds := _part(checkpoint, "folds"):
        save_checkpoint(folds.folder, folds.fingerprint, len(trials), {}, trials)


def _precision(source: Vectors, target: Vectors, mapped: Alignment, test: pa.Table) -> float:
    """Compute the percentage of words whose nearest neighbour by CSLS is a translation."""
    pairs = known_pairs(Sides(source, target), test, MEASURED)
    if not len(pairs):
        raise InputError(f"the dictionary has no pair among the first {MEASURED} words: use another one")
    queries, gold = group_pairs(pairs)
    left, right = (unit(to_device(side[:MEASURED])) for side in (mapped.source, mapped.target))
    return 100 * float((csls_ranks(left, right, queries, gold, CSLS_K) == 0).mean())


def _build(cls: type, settings: Mapping[str, Any]) -> Any:
    legal = {item.name for item in fields(cls)}
    return cls(**{key: value for key, value in settings.items() if key in legal})
