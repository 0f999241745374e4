"""Parallel anchors: the lexicon pairs whose words are in both embedding vocabularies, in a fixed order.

Stop words are source words too grammatical to be anchors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import pyarrow as pa
from stopwords import LanguageNotAvailable, get_stopwords

from xstitch.core.draws import nested_sample
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
    """Choose the anchors of a language pair, in the order of the source vocabulary.

    The more frequent a word, the smaller its row. `confirm` may drop pairs before a sample is drawn.
    """
    known = _known_pairs(lexicon, source_rows, target_rows, rules)
    matched = _matched(sorted(known, key=_preference(rules.choice)), rules.pairing)
    anchors = _sampled(confirm(sorted(matched, key=lambda anchor: anchor.source_row)), rules)
    if not anchors:
        raise InputError(
            f"no anchors: none of {len(lexicon)} lexicon pairs has its source among {len(source_rows)} "
            f"whole-word tokens and its target among {len(target_rows)} target words (case matters); "
            "use another lexicon"
        )
    return anchors


def whole_words(tokens: Sequence[str], special: Iterable[str], continuation: str = "##") -> dict[str, int]:
    """Map the tokens of a model's vocabulary that are whole words to their rows."""
    special = set(special)
    return {
        token: row
        for row, token in enumerate(tokens)
        if token not in special and not token.startswith(continuation)
    }


def stop_words(setting: str | int | Sequence[str], language: str, frequent: Iterable[str]) -> frozenset[str]:
    """Resolve the key `stop_words` of anchors.

    It is `package` (the list that the package `stopwords` has for the language), a number (how many words
    of `frequent`, most frequent first: for languages without a list), or the words themselves.
    """
    if isinstance(setting, int):
        return frozenset(islice(frequent, setting))
    if setting == "package":
        return _listed(language)
    return frozenset(setting)


def anchors_table(anchors: Sequence[Anchor]) -> pa.Table:
    """Put anchors into a table, in their order."""
    columns = dict(zip(Anchor._fields, map(list, zip(*anchors, strict=True)), strict=True))
    return pa.table(columns)


def _listed(language: str) -> frozenset[str]:
    try:
        words = get_stopwords(language)
    except LanguageNotAvailable as problem:
        raise InputError(
            f"anchors: stop_words: the package has no list for {language!r}; "
            "give the words, or how many of the most frequent ones to take"
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
    # Sorting is stable: pairs with equal keys stay in the lexicon's order.
    return {
        "source-frequency": lambda anchor: (anchor.source_row, anchor.target_row),
        "first-listed": lambda _: (),
        "highest-score": lambda anchor: (-anchor.score, anchor.source_row, anchor.target_row),
    }[choice]


def _matched(anchors: Iterable[Anchor], pairing: str) -> list[Anchor]:
    """Take pairs in order of preference; a word whose partner is taken may still get another."""
    matched, sources, targets = [], set(), set()
    for anchor in anchors:
        target_taken = pairing == "one-to-one" and anchor.target_row in targets
        if anchor.source_row not in sources and not target_taken:
            matched.append(anchor)
            sources.add(anchor.source_row)
            targets.add(anchor.target_row)
    return matched


def _sampled(anchors: list[Anchor], rules: AnchorRules) -> list[Anchor]:
    return [anchors[row] for row in nested_sample(len(anchors), rules.size, rules.seed)]
