"""Claims with their verdicts, as records: what results/claims.tsv has, one row per claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xstitch.core.tsv import read_records
from xstitch.results.claims.logic import (
    HOLDS,
    SUPPORTED,
    Leaf,
    Signs,
    Tree,
    every,
    judge_published,
    judge_run,
    leaves,
    published_signs,
    shown_signs,
)
from xstitch.results.claims.numbers import Numbers
from xstitch.results.claims.trees import tree_of
from xstitch.results.settings.claims import KINDS, Predicate

SHOWN = 6  # differences that a cell of the table lists


@dataclass(frozen=True)
class Claim:
    """What a paper says, where, and the predicates that must all hold for it to be so."""

    name: str
    says: str
    place: str
    predicates: Sequence[Predicate]

    @classmethod
    def from_config(cls, name: str, entry: Mapping[str, Any]) -> Claim:
        """Build a claim from its entry in a paper's file."""
        predicates = [
            KINDS[part["kind"]](**{key: value for key, value in part.items() if key != "kind"})
            for part in entry["predicates"]
        ]
        return cls(name, entry["says"], entry["place"], predicates)


@dataclass(frozen=True)
class Judged:
    """A verdict and the numbers behind it, in words."""

    verdict: str
    numbers: str


def judged_by_published(claim: Claim, numbers: Numbers) -> Judged:
    """Judge a claim by published numbers alone."""
    tree = _tree(claim, numbers)
    signs = published_signs(tree)
    verdict = judge_published(tree, signs)
    return Judged(verdict, _described(tree, signs, numbers, verdict == SUPPORTED))


def judged_by_run(claim: Claim, numbers: Numbers) -> Judged:
    """Judge a claim by the numbers of a run and their resamples."""
    tree = _tree(claim, numbers)
    signs = shown_signs(tree)
    verdict = judge_run(tree, signs)
    return Judged(verdict, _described(tree, signs, numbers, verdict == HOLDS))


def claim_record(paper: str, claim: Claim, published: Judged, run: Judged, scale: str) -> dict[str, str]:
    """Return a row of the table of claims."""
    return {
        "paper": paper,
        "claim": claim.name,
        "says": claim.says,
        "place": claim.place,
        "published": published.verdict,
        "published_numbers": published.numbers,
        "verdict": run.verdict,
        "numbers": run.numbers,
        "scale": scale,
    }


def listed_verdicts(claims: str | Path) -> str:
    """List claims as text for a terminal: the verdict of the run, that of published numbers, the sentence."""
    records = read_records(claims)
    columns = [("this run", "verdict"), ("published", "published"), ("claim", "says")]
    lines = [[title for title, _ in columns], *([record[key] for _, key in columns] for record in records)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns) - 1)]
    return "\n".join(
        "  ".join([*(field.ljust(width) for field, width in zip(line, widths, strict=False)), line[-1]])
        for line in lines
    )


def _tree(claim: Claim, numbers: Numbers) -> Tree:
    return every([tree_of(predicate, numbers) for predicate in claim.predicates])


def _described(tree: Tree, signs: Signs, numbers: Numbers, so: bool) -> str:
    """Say which numbers a verdict rests on: all, or if they are many, the least as claimed.

    Of a claim that few numbers are enough for, and that is so, the most as claimed.
    """
    known = [leaf for leaf in leaves(tree) if not leaf.absent]
    texts = []
    if len(known) > SHOWN:
        found = [signs[id(leaf)] for leaf in known]
        few = so and found.count(True) < len(found) / 2
        undecided = f", {found.count(None)} open" if None in found else ""
        counts = f"{found.count(True)} of {len(found)} as claimed{undecided}"
        texts.append(f"{counts}; {'most' if few else 'least'} so:")
        known = sorted(known, key=lambda leaf: -leaf.margin if few else leaf.margin)[:SHOWN]
    texts.append(_listed(known, numbers))
    if absent := list(dict.fromkeys(leaf.absent for leaf in leaves(tree) if leaf.absent)):
        more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        texts.append(f"absent: {absent[0]}{more}")
    return " ".join(filter(None, texts))


def _listed(known: Iterable[Leaf], numbers: Numbers) -> str:
    """List numbers by table or figure, by row (or by two that are compared), and by column."""
    sources: dict[str, dict[str, dict[str, str]]] = {}
    for leaf in known:
        text = _number(leaf, numbers.described[leaf.source].decimals)
        sources.setdefault(leaf.source, {}).setdefault(leaf.name, {})[leaf.column] = text
    return "; ".join(
        f"{source}, {'; '.join(_row(name, texts) for name, texts in rows.items())}"
        for source, rows in sources.items()
    )


def _row(name: str, texts: Mapping[str, str]) -> str:
    return f"{name}: {', '.join(f'{column} {text}' for column, text in texts.items())}"


def _number(leaf: Leaf, decimals: int) -> str:
    ends = leaf.interval
    text = f" [{ends.low:.{decimals}f} to {ends.high:.{decimals}f}]" if ends else ""
    return f"{leaf.value:+.{decimals}f}{text}"
