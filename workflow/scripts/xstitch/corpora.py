"""Plain text in CC100's layout, sampled to tokenised sentences."""

from __future__ import annotations

import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from xstitch.errors import InputError
from xstitch.progress import progress
from xstitch.text import Tokenizer, split_sentences

SCHEMA = pa.schema([("document", pa.int64()), ("paragraph", pa.int64()), ("text", pa.string())])

Row = tuple[int, int, str]


def sample_sentences(
    path: str | Path, tokenize: Tokenizer, settings: Mapping[str, Any], seed: int
) -> Iterator[Row]:
    """Yield tokenised sentences of a seeded sample of documents until there are enough, streaming."""
    limit = settings["sentences"]
    rows = _sentences(path, tokenize, settings, seed)
    yield from progress((row for row, _ in zip(rows, range(limit), strict=False)), "sampling", limit, "sent")


def _sentences(
    path: str | Path, tokenize: Tokenizer, settings: Mapping[str, Any], seed: int
) -> Iterator[Row]:
    random = np.random.default_rng(seed)
    for number, document in enumerate(_documents(path)):
        if random.random() >= settings["share"]:
            continue
        for place, paragraph in enumerate(document):
            for sentence in split_sentences(paragraph):
                tokens = tokenize(sentence)
                if len(tokens) >= settings["min_tokens"]:
                    yield number, place, " ".join(tokens)


def _documents(path: str | Path) -> Iterator[list[str]]:
    """Yield each document as its paragraphs: a paragraph a line, a blank line between documents."""
    paragraphs: list[str] = []
    try:
        with lzma.open(path, "rt", encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if line.strip():
                    paragraphs.append(line.strip())
                elif paragraphs:
                    yield paragraphs
                    paragraphs = []
    except (lzma.LZMAError, EOFError) as problem:
        raise InputError(f"{path}: not a whole .xz file ({problem}); remove it and run again") from problem
    if paragraphs:
        yield paragraphs
