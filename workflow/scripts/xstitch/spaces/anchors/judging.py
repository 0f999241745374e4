"""How many pairs of an induced lexicon are right, by another lexicon."""

from __future__ import annotations

import pyarrow as pa

from xstitch.core.errors import InputError


def judged(lexicon: pa.Table, known: int, judge: pa.Table) -> tuple[float, int]:
    """Compute the share of the found pairs that another lexicon has, and the number that it can judge.

    The known pairs come first and do not count; nor do words that the other lexicon has no translation of.
    """
    truth: dict[str, set[str]] = {}
    for source, target in zip(*(judge[name].to_pylist() for name in ("source", "target")), strict=True):
        truth.setdefault(source, set()).add(target)
    found = lexicon.slice(known)
    pairs = zip(*(found[name].to_pylist() for name in ("source", "target")), strict=True)
    right = [target in truth[source] for source, target in pairs if source in truth]
    if not right:
        raise InputError(f"none of {len(found)} found pairs has a source word that the judging lexicon has")
    return sum(right) / len(right), len(right)
