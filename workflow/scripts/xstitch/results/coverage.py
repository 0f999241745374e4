"""Coverage: how much of a language its vectors, lexicon and anchors cover, and whether that is enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from tokenizers import Tokenizer

from xstitch.core.progress import progress
from xstitch.sources.words import unicode_words

# In news text of 75,000 to 100,000 tokens, the 5,000 most frequent words made up 71 % (Russian) to 86 %
# (English) of the text: with fewer, even the best choice of words loses a seventh or more.
FEW_WORDS = 5_000
# With Low German's 1,309, no stitched row of the lead paper's Table 2 was above 0.13.
FEW_ANCHORS = 1_500
# If the lexicon lacks almost all words of a text, their spelling differs: case, script or segmentation. Of
# the words of Spanish verses, the first 1,500 pairs of MUSE have 49 %, the 207 concepts of a Swadesh list
# 24 %, and a German dictionary 6 %; of their 5,000 most frequent words, counted once each, 9 %, 4 % and 1 %.
FEW_LISTED = 0.1
FEW_LISTED_FREQUENT = 0.05
FREQUENT = "most frequent words with vectors"  # looked up if a language has no text
# One word in five. Chosen, not measured.
MANY_MISSING = 0.2


@dataclass(frozen=True)
class Tokens:
    """Words of running text, split as corpora are by default; punctuation does not count."""

    count: int
    missing: int  # words without a vector
    unknown: int  # the part of these that cannot be composed of shorter words either, or not completely
    listed: int  # words that are in the lexicon


@dataclass(frozen=True)
class Coverage:
    """What links a language to the source model, in numbers."""

    words: int  # with vectors
    lexicon: int  # distinct target words of the lexicon
    anchors: int
    tokens: Tokens
    text: str  # what the tokens are words of


def count_tokens(
    texts: Iterable[str], tokenizer: Tokenizer, unknown: str, lexicon: Collection[str]
) -> Tokens:
    """Count the words of texts: those without a vector, those that become `unknown`, those in the lexicon."""
    counts: Counter[str] = Counter()
    for text in progress(texts, "counting words", unit="text"):
        words = unicode_words(tokenizer.normalizer.normalize_str(text))
        counts.update(word for word in words if any(map(str.isalnum, word)))
    missing = {word: count for word, count in counts.items() if tokenizer.token_to_id(word) is None}
    lost = [word for word in missing if unknown in tokenizer.encode(word, add_special_tokens=False).tokens]
    listed = sum(count for word, count in counts.items() if word in lexicon)
    return Tokens(counts.total(), sum(missing.values()), sum(missing[word] for word in lost), listed)


def coverage_records(coverage: Coverage) -> list[dict[str, str]]:
    """List what was measured, with a plain warning wherever it is too little to work."""
    rows = [
        ("words with vectors", str(coverage.words), _few_words(coverage.words)),
        ("words of the lexicon", str(coverage.lexicon), ""),
        ("anchors", str(coverage.anchors), _few_anchors(coverage.anchors)),
        *_text_rows(coverage.tokens, coverage.text),
    ]
    return [dict(zip(("measure", "value", "warning"), row, strict=True)) for row in rows]


def measure(records: Iterable[Mapping[str, str]], name: str) -> int:
    """Look up a number among what `coverage_records` lists."""
    return next(int(record["value"]) for record in records if record["measure"] == name)


def _text_rows(tokens: Tokens, text: str) -> list[tuple[str, str, str]]:
    """List what was counted in a text: measure, value and warning of each."""
    missing, unknown, listed = (
        _share(part, tokens.count) for part in (tokens.missing, tokens.unknown, tokens.listed)
    )
    in_lexicon = ("share of these in the lexicon", f"{listed:.3f}", _few_listed(listed, text))
    if text == FREQUENT:
        return [(text, str(tokens.count), ""), in_lexicon]
    return [
        (f"words of the {text}", str(tokens.count), ""),
        ("share of these without vectors", f"{missing:.3f}", _many_missing(missing, text)),
        ("share of these unknown to the model", f"{unknown:.3f}", ""),
        in_lexicon,
    ]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _few_words(words: int) -> str:
    if words >= FEW_WORDS:
        return ""
    return (
        f"Only {words:,} words have vectors; with fewer than {FEW_WORDS:,}, any text loses many words. "
        "Train vectors on more text."
    )


def _few_listed(listed: float, text: str) -> str:
    if listed >= (FEW_LISTED_FREQUENT if text == FREQUENT else FEW_LISTED):
        return ""
    words = FREQUENT if text == FREQUENT else f"words of the {text}"
    return (
        f"Only {listed:.0%} of the {words} are in the lexicon. Do both use the same script and spelling, and "
        "are they split into words in the same way?"
    )


def _few_anchors(anchors: int) -> str:
    if anchors >= FEW_ANCHORS:
        return ""
    return (
        f"Only {anchors:,} anchors link the language to the model; the paper's 1,309 for Low German were too "
        "few. Extend the lexicon: frequent words first, one word to one word."
    )


def _many_missing(missing: float, text: str) -> str:
    if missing <= MANY_MISSING:
        return ""
    return (
        f"{missing:.0%} of the words of the {text} have no vector: the model composes them of shorter words "
        "or does not see them at all. Train vectors on more text, or on text of the same kind."
    )
