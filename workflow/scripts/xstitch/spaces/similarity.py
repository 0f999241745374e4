"""Word similarity as in SemEval-2017 Task 2: cosines against human scores, within or across languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines, some_rows
from xstitch.results.scores import Score
from xstitch.spaces.aligned import Sides, common_space
from xstitch.vectors.table import Vectors, unit_rows

METRICS = ("spearman", "pearson", "multi_word", "out_of_vocabulary")


class Item(NamedTuple):
    """Two terms and how similar people find them."""

    first: str
    second: str
    score: float


@dataclass(frozen=True)
class SimilarityResult:
    """Correlations with the human scores (nan below two items or without variance) and what was left out."""

    spearman: float
    pearson: float
    used: int
    multi_word: int
    out_of_vocabulary: int

    @property
    def left_out(self) -> int:
        """Number of items that could not be scored."""
        return self.multi_word + self.out_of_vocabulary


class ScoredAlignment(NamedTuple):
    """The alignment, source language and scale that scores are recorded for."""

    alignment: str
    source: str
    scale: str


def evaluate_similarity(first: Vectors, second: Vectors, items: Iterable[Item]) -> SimilarityResult:
    """Correlate cosines with human scores; pass the same vectors twice for one language."""
    pairs, scores, multi_word, unknown = [], [], 0, 0
    for item in items:
        rows = look_up(item.first, first), look_up(item.second, second)
        if any(len(term.split()) > 1 for term in item[:2]):
            multi_word += 1  # counted as such whether or not its words are known
        elif None in rows:
            unknown += 1
        else:
            pairs.append(rows)
            scores.append(item.score)
    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    cosines = np.sum(unit_rows(first.matrix[rows[:, 0]]) * unit_rows(second.matrix[rows[:, 1]]), axis=1)
    return SimilarityResult(*_correlations(cosines, np.array(scores)), len(rows), multi_word, unknown)


def similarity_scores(
    scored: ScoredAlignment,
    sides: Mapping[str, Sides],
    tests: Mapping[tuple[str, str], tuple[str, str]],
) -> Iterator[Score]:
    """Score an alignment on every file of pairs: within a language, with the source, between two targets.

    Each target shares a space with the source language; two targets are compared in the first pair's.
    """
    maps = dict(zip(sides, common_space([side.source.matrix for side in sides.values()]), strict=True))
    for (first, second), (pairs, gold) in tests.items():
        left, right = _compared(scored.source, sides, maps, first, second)
        result = evaluate_similarity(left, right, join_scores(pairs, gold))
        key = (scored.alignment, "similarity", first, second, "test")
        for metric in METRICS:
            yield Score(*key, metric, 0, float(getattr(result, metric)), result.used, scored.scale)


def _compared(
    source: str, sides: Mapping[str, Sides], maps: Mapping[str, np.ndarray], first: str, second: str
) -> tuple[Vectors, Vectors]:
    """Return the vectors of two languages in one space."""
    others = [language for language in (first, second) if language != source]
    if len(set(others)) == 2:
        return tuple(Vectors(sides[o].target.words, sides[o].target.matrix @ maps[o]) for o in others)
    side = sides[others[0]] if others else next(iter(sides.values()))
    return tuple(side.source if language == source else side.target for language in (first, second))


def look_up(term: str, vectors: Vectors) -> int | None:
    """Find the row of a term as written or, for lower-cased vectors, in lower case."""
    row = vectors.index.get(term)
    return vectors.index.get(term.lower()) if row is None else row


def _item(line: str, path: str | Path, number: int) -> Item:
    fields = [field.strip() for field in line.rstrip("\r\n").split("\t")]
    if len(fields) != 3 or not all(fields):
        raise InputError(
            f"{path}:{number}: 'term TAB term TAB score' expected, not {line.strip()[:60]!r}; correct it"
        )
    try:
        score = float(fields[2])
    except ValueError:
        score = np.nan
    if not np.isfinite(score):
        raise InputError(f"{path}:{number}: the score {fields[2][:60]!r} is not a finite number; correct it")
    return Item(fields[0], fields[1], score)


def _correlations(cosines: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    if len(scores) < 2 or np.ptp(cosines) == 0 or np.ptp(scores) == 0:
        return float("nan"), float("nan")
    # Cosines that differ only by rounding share their rank.
    spearman, pearson = stats.spearmanr(np.round(cosines, 6), scores), stats.pearsonr(cosines, scores)
    return float(spearman.statistic), float(pearson.statistic)


def join_scores(pairs: str | Path, keys: str | Path) -> Iterator[Item]:
    """Read the task's layout: `term TAB term` lines in one file, their scores in another."""
    terms, scores = ([line for _, line in numbered_lines(file)] for file in (pairs, keys))
    if len(terms) != len(scores):
        counts = f"{len(scores)} scores, but {pairs} has {len(terms)} pairs"
        raise InputError(f"{keys}: {counts}; fetch both files again")
    lines = enumerate(zip(terms, scores, strict=True), start=1)
    items = (_item(f"{line}\t{score}", pairs, number) for number, (line, score) in lines)
    return some_rows(items, pairs, "pair of terms")
