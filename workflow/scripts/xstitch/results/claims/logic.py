"""What follows from differences that are above 0, below it, or neither.

A claim is a tree: its leaves are differences of which it says that they are above 0, its branches say how
many of their parts must hold. All differences of a claim are tested at once, with Holm's correction.
Published numbers have no spread and are taken at their word.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xstitch.results.freedom import freedom_of
from xstitch.results.intervals import Interval, interval
from xstitch.results.multiplicity import LEVEL, holm, p_value
from xstitch.results.ranges import Range

HOLDS, FAILS, OPEN, NOT_RUN = "holds", "fails", "open", "not run"
SUPPORTED, NOT_SUPPORTED, CANNOT_BE_TOLD = "supported", "not supported", "cannot be told"
DIGITS = 9  # 75.4 - 73.5 is slightly below 1.9 in floats


@dataclass(frozen=True, eq=False)
class Leaf:
    """A difference of which a claim says that it is above 0: the number itself, then its resamples."""

    source: str  # the table or figure of its numbers
    name: str  # of a row, or of two rows that are compared
    column: str
    difference: np.ndarray | None = None  # None: a number is absent
    plain: np.ndarray | None = None  # what is shown: as in the table, with no sign turned and nothing added
    ties: bool = False  # whether 0 will do
    spread: bool = False  # whether anything that could vary was repeated
    chains: int = 0  # how often all of it was; 0: not known
    seeds: frozenset[int] = frozenset()  # how many of them the numbers have that it is made of
    absent: str = ""  # the number that is absent
    within: Range | None = None  # the numbers that the one that is shown can be
    freedom: float = math.inf  # degrees of freedom that languages or target sets leave at most

    @property
    def margin(self) -> float:
        """The difference; below 0 if the claim does not have it."""
        return round(float(self.difference[0]), DIGITS)

    @property
    def value(self) -> float:
        """The number that is shown."""
        return round(float(self.plain[0]), DIGITS)

    @property
    def interval(self) -> Interval | None:
        """The interval of the number that is shown; None if it has no resamples, or nothing was repeated."""
        if not self.spread or self.plain.size == 1:
            return None
        return interval(
            self.plain, self.within, freedom_of(self.plain, self.chains, self.seeds, self.freedom)
        )


@dataclass(frozen=True, eq=False)
class Branch:
    """A statement that at least so many of its parts hold."""

    least: int
    parts: Sequence[Tree]


Tree = Leaf | Branch


def every(parts: Sequence[Tree]) -> Tree:
    """All parts hold."""
    return parts[0] if len(parts) == 1 else Branch(len(parts), parts)


def leaves(tree: Tree) -> Iterator[Leaf]:
    """Yield all differences of a claim."""
    if isinstance(tree, Leaf):
        yield tree
    else:
        for part in tree.parts:
            yield from leaves(part)


Signs = Mapping[int, bool | None]  # whether a difference is above 0, by the id of its leaf; None: not known


def published_signs(tree: Tree) -> Signs:
    """Take numbers at their word."""
    return {id(leaf): None if leaf.absent else _is_above(leaf) for leaf in leaves(tree)}


def shown_signs(tree: Tree) -> Signs:
    """Tell which differences are shown: those below the level after Holm's correction for all of the claim.

    Where nothing that could vary was repeated, nothing is shown.
    """
    known = [leaf for leaf in leaves(tree) if not leaf.absent and leaf.spread]
    adjusted = dict(zip(map(id, known), holm([_p_value(leaf) for leaf in known]), strict=True))
    return {
        id(leaf): _is_above(leaf) if adjusted.get(id(leaf), 1.0) < LEVEL else None for leaf in leaves(tree)
    }


def judge_published(tree: Tree, signs: Signs) -> str:
    """Say whether published numbers support a claim."""
    return {True: SUPPORTED, False: NOT_SUPPORTED, None: CANNOT_BE_TOLD}[_follows(tree, signs)]


def judge_run(tree: Tree, signs: Signs) -> str:
    """Say whether a claim holds in a run; open if that depends on differences that are not shown."""
    verdict = _follows(tree, signs)
    if verdict is None:
        return NOT_RUN if any(leaf.absent for leaf in leaves(tree)) else OPEN
    return HOLDS if verdict else FAILS


def _p_value(leaf: Leaf) -> float:
    """Return the p-value of a difference; a tie that never varies is certain where ties will do."""
    if leaf.ties and leaf.margin == 0 and not np.ptp(leaf.difference):
        return 0.0
    return p_value(leaf.difference, max(1, leaf.chains), leaf.seeds, leaf.freedom)


def _is_above(leaf: Leaf) -> bool:
    return leaf.margin > 0 or (leaf.ties and leaf.margin == 0)


def _follows(tree: Tree, signs: Signs) -> bool | None:
    """Decide by the signs of differences; None if the unknown ones matter."""
    if isinstance(tree, Leaf):
        return signs[id(tree)]
    parts = [_follows(part, signs) for part in tree.parts]
    if parts.count(True) >= tree.least:
        return True
    return None if len(parts) - parts.count(False) >= tree.least else False
