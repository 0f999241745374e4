"""Coverage: how much of a language its vectors, lexicon and anchors cover, and whether that is enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tokenizers import Tokenizer

from xstitch.core.progress import progress

# In news text of 75,000 to 100,000 tokens, the 5,000 most frequent words made up 71 % (Russian) to 86 %
# (English) of the text: with fewer, even the best choice of words loses a seventh or more.
FEW_WORDS = 5_000
# With Low German's 1,309, no stitched row of the lead paper's Table 2 was above 0.13.
FEW_ANCHORS = 1_500
# The dictionary and vectors of a language share frequent words. If most are missing, their spelling differs:
# case, script or segmentation. Chosen, not measured.
FEW_SHARED = 0.3
# One word in five. Chosen, not measured.
MANY_MISSING = 0.2


@dataclass(frozen=True)
class Tokens:
    """Words of running text, as a stitched model's tokenizer sees them; punctuation does not count."""

    count: int
    missing: int  # words without a vector
    unknown: int  # the part of these that cannot be composed of shorter words either


@dataclass(frozen=True)
class Coverage:
    """What links a language to the source model, in numbers."""

    words: int  # with vectors
    lexicon: int  # distinct target words of the lexicon
    shared: int  # the part of these that have a vector
    anchors: int
    tokens: Tokens
    text: str  # the text in which the tokens were counted


def count_tokens(texts: Iterable[str], tokenizer: Tokenizer, unknown: str) -> Tokens:
    """Count the words of texts, those without a vector, and those that the tokenizer turns into `unknown`."""
    counts: Counter[str] = Counter()
    for text in progress(texts, "counting words", unit="text"):
        words = tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))
        counts.update(word for word, _ in words if any(map(str.isalnum, word)))
    missing = {word: count for word, count in counts.items() if tokenizer.token_to_id(word) is None}
    lost = [word for word in missing if unknown in tokenizer.encode(word, add_special_tokens=False).tokens]
    return Tokens(counts.total(), sum(missing.values()), sum(missing[word] for word in lost))


def coverage_records(coverage: Coverage) -> list[dict[str, str]]:
    """List what was measured, with a plain warning wherever it is too little to work."""
    tokens, text = coverage.tokens, coverage.text
    shared, missing = _share(coverage.shared, coverage.lexicon), _share(tokens.missing, tokens.count)
    rows = [
        ("words with vectors", str(coverage.words), _few_words(coverage.words)),
        ("words of the lexicon", str(coverage.lexicon), ""),
        ("share of these with vectors", f"{shared:.3f}", _few_shared(shared)),
        ("anchors", str(coverage.anchors), _few_anchors(coverage.anchors)),
        (f"words of the {text}", str(tokens.count), ""),
        ("share of these without vectors", f"{missing:.3f}", _many_missing(missing, text)),
        ("share of these unknown to the model", f"{_share(tokens.unknown, tokens.count):.3f}", ""),
    ]
    return [dict(zip(("measure", "value", "warning"), row, strict=True)) for row in rows]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _few_words(words: int) -> str:
    if words >= FEW_WORDS:
        return ""
    return (
        f"Only {words:,} words have vectors; with fewer than {FEW_WORDS:,}, any text loses many words. "
        "Train vectors on more text."
    )


def _few_shared(shared: float) -> str:
    if shared >= FEW_SHARED:
        return ""
    return (
        f"Only {shared:.0%} of the lexicon's words have vectors. Do both use the same script and spelling, "
        "and are they split into words in the same way?"
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
