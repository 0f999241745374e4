"""Recommendations: what to expect of a model chosen without labels, and how good such choices were.

Both come from languages where the truth is known, `config/recommended.tsv`: a row for every candidate that
was measured there, with its signals (xstitch.models.signals) and its macro-F1 on test texts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from xstitch.core.errors import InputError
from xstitch.core.tsv import read_records
from xstitch.results.scores import Score

SIGNALS = ("agreement", "dictionary", "coverage", "confidence", "information")
LEVEL = 0.9  # of languages whose truth the interval of an expectation is to have
Records = Sequence[Mapping[str, str]]


class Case(NamedTuple):
    """A language in one draw of everything before its models."""

    language: str
    scale: str
    chain: str


class Judged(NamedTuple):
    """A choice beside the truth."""

    case: Case
    candidates: int
    chosen: str
    value: float  # macro-F1 of the chosen candidate
    best: str
    best_value: float
    median: float  # of all candidates: what a choice at random is worth
    correlations: Mapping[str, float]  # of each signal's ranks with those of macro-F1
    alone: Mapping[str, float]  # what a choice by each signal alone would have scored

    @property
    def regret(self) -> float:
        """What the choice lost."""
        return self.best_value - self.value


class Expected(NamedTuple):
    """A macro-F1 that nobody measured, and the languages that it is expected from."""

    value: float
    low: float
    high: float
    languages: int
    choices: int


def chosen(records: Records) -> Mapping[str, str]:
    """The chosen one of a language's candidates."""
    found = [record for record in records if record["chosen"]]
    if len(found) != 1:
        raise InputError(f"a choice has one chosen candidate, not {len(found)}; make it again")
    return found[0]


def judged_records(
    cases: Sequence[tuple[str, str]], choices: Sequence[Records], scores: Iterable[Score], scale: str
) -> list[dict[str, str]]:
    """Put the macro-F1 of every candidate beside its signals; `cases` are chain and language of the choices.

    A candidate with several seeds has their mean.
    """
    values = defaultdict(list)
    for score in scores:
        if score.metric == "macro_f1":
            values[score.chain, score.tgt, score.recipe].append(score.value)
    rows = []
    for (chain, lang), records in zip(cases, choices, strict=True):
        for record in records:
            known = values.get((chain, lang, record["recipe"]))
            if known:
                truth = {"macro_f1": f"{np.mean(known):.6f}"}
                rows.append({"language": lang, "scale": scale, "chain": chain, **record, **truth})
    return rows


def judge(rows: Records) -> list[Judged]:
    """Compare every choice on record with the best candidate."""
    return [_judged(case, found) for case, found in _by_case(rows).items()]


def _judged(case: Case, rows: Records) -> Judged:
    truth = [float(row["macro_f1"]) for row in rows]
    taken, best = chosen(rows), max(rows, key=lambda row: float(row["macro_f1"]))
    return Judged(
        case,
        len(rows),
        taken["recipe"],
        float(taken["macro_f1"]),
        best["recipe"],
        float(best["macro_f1"]),
        float(np.median(truth)),
        {name: rank_correlation([float(row[name]) for row in rows], truth) for name in SIGNALS},
        {name: float(max(rows, key=lambda row, name=name: float(row[name]))["macro_f1"]) for name in SIGNALS},
    )


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's correlation; NaN if one side is constant."""
    if 1 in (len(set(first)), len(set(second))):
        return math.nan
    return float(spearmanr(first, second).statistic)


def expect(information: float, known: Records, language: str) -> Expected | None:
    """What a candidate with so much information is expected to score; None where too little is known.

    A line through all candidates on record, those of the language itself left out. The interval is as wide
    as the line misses the choices of every language that it was not drawn through, for nine in ten of them.
    """
    others = [row for row in known if row["language"] != language]
    languages = sorted({row["language"] for row in others})
    choices = [row for row in others if row["chosen"]]
    place = math.ceil(LEVEL * (len(choices) + 1))
    if len(languages) < 3 or place > len(choices):
        return None
    misses = sorted(
        abs(float(row["macro_f1"]) - _on_line(float(row["information"]), left))
        for held_out in languages
        for left in [[row for row in others if row["language"] != held_out]]
        for row in choices
        if row["language"] == held_out
    )
    value, miss = _on_line(information, others), misses[place - 1]
    ends = max(0.0, value - miss), min(1.0, value + miss)
    return Expected(value, *ends, len(languages), len(choices))


def _on_line(information: float, rows: Records) -> float:
    """The height of the least-squares line at so much information, between 0 and 1."""
    x, y = (np.array([float(row[name]) for row in rows]) for name in ("information", "macro_f1"))
    spread = ((x - x.mean()) ** 2).sum()
    slope = ((x - x.mean()) * (y - y.mean())).sum() / spread if spread else 0.0
    return float(min(1.0, max(0.0, y.mean() + slope * (information - x.mean()))))


def read_known(path: str | Path) -> list[dict[str, str]]:
    """Read the candidates on record; refuse a table without the columns that are needed."""
    rows = read_records(path)
    needed = {"language", "scale", "chain", "recipe", "information", "chosen", "macro_f1"}
    if rows and not needed <= set(rows[0]):
        lacking = ", ".join(sorted(needed - set(rows[0])))
        raise InputError(f"{path}:1: no column {lacking}; write it with docs/recorded_recommendations.py")
    return rows


def _by_case(rows: Records) -> dict[Case, list[Mapping[str, str]]]:
    found: dict[Case, list[Mapping[str, str]]] = {}
    for row in rows:
        found.setdefault(Case(row["language"], row["scale"], row["chain"]), []).append(row)
    return found
