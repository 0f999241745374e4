"""Parallel anchors: the lexicon pairs that both embedding vocabularies hold, in one fixed order.

Stop words are source words too grammatical to be anchors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from stopwords import LanguageNotAvailable, get_stopwords

from xstitch.core.errors import InputError
from xstitch.spaces.settings.anchors import AnchorRules


class Anchor(NamedTuple):
    """A pair with its rows in the source and target vectors."""

    source: str
    target: str
    source_row: int
    target_row: int
    score: float


def build_anchors(
    lexicon: pa.Table,
    source_rows: Mapping[str, int],
    target_rows: Mapping[str, int],
    rules: AnchorRules,
    confirm: Callable[[list[Anchor]], list[Anchor]] = list,
) -> list[Anchor]:
    """Choose the anchors of a language pair, ordered by their place in the source vocabulary.

    Rows tell how frequent a word is: the more frequent, the smaller. `confirm` may leave out pairs before
    a sample is drawn.
    """
    known = _known_pairs(lexicon, source_rows, target_rows, rules)
    matched = _matched(sorted(known, key=_preference(rules.choice)), rules.pairing)
    anchors = _sampled(confirm(sorted(matched, key=lambda anchor: anchor.source_row)), rules)
    if not anchors:
        raise InputError(
            f"no anchors: of {len(lexicon)} lexicon pairs none has its source among {len(source_rows)} "
            f"whole-word tokens and its target among {len(target_rows)} target words (case counts); "
            "give another lexicon"
        )
    return anchors


def whole_words(tokens: Sequence[str], special: Iterable[str], continuation: str = "##") -> dict[str, int]:
    """Map the tokens of a model's vocabulary that are words by themselves to their rows."""
    special = set(special)
    return {
        token: row
        for row, token in enumerate(tokens)
        if token not in special and not token.startswith(continuation)
    }


def stop_words(setting: str | int | Sequence[str], language: str, frequent: Iterable[str]) -> frozenset[str]:
    """Look up what an anchors' key `stop_words` stands for.

    It is `package` (the list that the package `stopwords` has of a language), a number (so many of the
    words in `frequent`, most frequent first: for languages that no list knows), or the words themselves.
    """
    if isinstance(setting, int):
        return frozenset(islice(frequent, setting))
    if setting == "package":
        return _listed(language)
    return frozenset(setting)


def anchors_table(anchors: Sequence[Anchor]) -> pa.Table:
    """Put anchors into a table that keeps their order."""
    columns = dict(zip(Anchor._fields, map(list, zip(*anchors, strict=True)), strict=True))
    return pa.table(columns)


def _listed(language: str) -> frozenset[str]:
    try:
        words = get_stopwords(language)
    except LanguageNotAvailable as problem:
        raise InputError(
            f"anchors: stop_words: the package has no list of {language!r}; "
            "give the words, or a number: so many of the most frequent ones"
        ) from problem
    return frozenset(filter(None, words))  # the package's lists end in an empty line


def _known_pairs(
    lexicon: pa.Table, source_rows: Mapping[str, int], target_rows: Mapping[str, int], rules: AnchorRules
) -> Iterable[Anchor]:
    columns = (lexicon.column(name).to_pylist() for name in ("source", "target", "score"))
    for source, target, score in zip(*columns, strict=True):
        target = target.lower() if rules.fold_target else target
        known = source in source_rows and target in target_rows
        if known and score >= rules.min_score and source not in rules.stop_words:
            yield Anchor(source, target, source_rows[source], target_rows[target], score)


def _preference(choice: str) -> Callable[[Anchor], tuple[float, ...]]:
    # Sorting is stable: what the key does not tell apart stays in the lexicon's order.
    return {
        "source-frequency": lambda anchor: (anchor.source_row, anchor.target_row),
        "first-listed": lambda _: (),
        "highest-score": lambda anchor: (-anchor.score, anchor.source_row, anchor.target_row),
    }[choice]


def _matched(anchors: Iterable[Anchor], pairing: str) -> list[Anchor]:
    """Take pairs in order of preference; a word whose partner is taken may still find another."""
    kept, sources, targets = [], set(), set()
    for anchor in anchors:
        shared = pairing == "one-to-one" and anchor.target_row in targets
        if anchor.source_row not in sources and not shared:
            kept.append(anchor)
            sources.add(anchor.source_row)
            targets.add(anchor.target_row)
    return kept


def _sampled(anchors: list[Anchor], rules: AnchorRules) -> list[Anchor]:
    if rules.size is None or rules.size >= len(anchors):
        return anchors
    chosen = np.random.default_rng(rules.seed).choice(len(anchors), rules.size, replace=False)
    return [anchors[row] for row in np.sort(chosen)]
