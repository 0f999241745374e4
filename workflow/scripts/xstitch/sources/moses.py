"""Words of parallel sentences by the rules of Moses' tokenizer (Koehn et al., 2007)."""

from __future__ import annotations

from functools import cache

import regex
from sacremoses import MosesTokenizer

from xstitch.sources.segmentation import spaced, word_splitter
from xstitch.sources.words import Splitter, readable

# Moses separates everything else from words. Perl's letters, its own, lack accents, viramas and joiners.
KEPT = r"\p{Alphabetic}\p{M}\p{Nd}\u200c\u200d\s.'`,\-"
SEPARATED = regex.compile(rf"((?![{KEPT}])\X)")


def parallel_splitter(words: str, tool: str, language: str) -> Splitter:
    """Return a function that splits sentences of parallel corpora into words by Moses, or by the tool.

    Moses knows no words in scripts without spaces: the tool puts spaces between them first.
    """
    if words == "moses":
        split = moses_splitter(language)
        return lambda text: split(spaced(text, tool))
    return word_splitter(tool, language)


@cache
def moses_splitter(language: str) -> Splitter:
    """Return Moses' tokenizer for a language; without a list of abbreviations, it takes the English one."""
    moses = MosesTokenizer(language)
    moses.PAD_NOT_ISALNUM = (SEPARATED, r" \1 ")
    return lambda text: moses.tokenize(readable(text), escape=False)
