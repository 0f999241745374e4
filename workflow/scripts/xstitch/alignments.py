"""Alignments as the configuration names them: one entry point for every way to bring two spaces together."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa

from xstitch.bli import evaluate_bli
from xstitch.errors import InputError
from xstitch.rcsls import RcslsSettings, align_rcsls
from xstitch.selflearning import SelfLearning
from xstitch.vecmap import MODES, Alignment, AlignmentSettings, align
from xstitch.vectors import Vectors

LOG = logging.getLogger("xstitch")
METHODS = ("none", "rcsls", *MODES)
HELD_OUT = 0.1  # share of an induced dictionary that decides between aligned and unaligned vectors


def align_pair(
    source: Vectors,
    target: Vectors,
    dictionary: pa.Table | None,
    settings: Mapping[str, Any],
    seed: int,
) -> Alignment:
    """Align two spaces by a configured method; with `select`, keep them as they are where that is better."""
    method = settings["method"]
    if method == "none":
        return unaligned(source, target)
    if method == "rcsls":
        mapped = align_rcsls(source, target, dictionary, _build(RcslsSettings, settings))
        return Alignment(mapped.source, mapped.target, dictionary, [])
    if method not in MODES:
        raise InputError(f"alignment method {method!r} is not one of {', '.join(METHODS)}")
    learning = _build(SelfLearning, {**settings, "seed": seed})
    prepared = AlignmentSettings(method, settings.get("reweight", 0.5), learning)
    if settings.get("select"):
        return _better(source, target, dictionary, prepared, seed)
    return align(source, target, dictionary, prepared)


def unaligned(source: Vectors, target: Vectors) -> Alignment:
    """Leave both spaces as they are; there is no dictionary behind them."""
    empty = pa.table({"source": pa.array([], pa.string()), "target": pa.array([], pa.string())})
    return Alignment(source.matrix, target.matrix, empty, [])


def _better(
    source: Vectors, target: Vectors, dictionary: pa.Table, settings: AlignmentSettings, seed: int
) -> Alignment:
    """Align by most of the dictionary and keep the vectors as they were if that retrieves the rest better.

    The test dictionary is never looked at: it would be choosing by the answer.
    """
    order = np.random.default_rng(seed).permutation(len(dictionary))
    held = max(1, round(HELD_OUT * len(order)))
    test, train = dictionary.take(np.sort(order[:held])), dictionary.take(np.sort(order[held:]))
    trial, plain = align(source, target, train, settings), unaligned(source, target)
    aligned_score, plain_score = (
        evaluate_bli(Vectors(source.words, side.source), Vectors(target.words, side.target), test).csls[1]
        for side in (trial, plain)
    )
    LOG.info("held-out P@1: %.2f aligned, %.2f as they were", aligned_score, plain_score)
    return align(source, target, dictionary, settings) if aligned_score >= plain_score else plain


def _build(cls: type, settings: Mapping[str, Any]) -> Any:
    legal = {item.name for item in fields(cls)}
    return cls(**{key: value for key, value in settings.items() if key in legal})
