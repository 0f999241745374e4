"""Universal Dependencies: words and their universal part-of-speech tags, from CoNLL-U files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines
from xstitch.sources.tasks.places import SPLITS, Places
from xstitch.sources.tasks.rows import (
    Sentence,
    SentenceRow,
    Token,
    check_label,
    group_sentences,
    sentence_rows,
)

TAGS = tuple("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
COLUMNS = 10
WORD = re.compile("[1-9][0-9]*")
# `3-4 du` is the written form of the words 3 and 4; `5.1` is an empty node, not in the text.
NOT_A_WORD = re.compile("[1-9][0-9]*-[1-9][0-9]*|[0-9]+[.][1-9][0-9]*")


def files(lang: str, task: Mapping[str, Any], places: Places) -> dict[str, list[str]]:
    """Return the paths of a language's treebanks by split; an entry of `treebanks` may list its splits."""
    paths: dict[str, list[str]] = {}
    for entry in task["treebanks"].get(lang, []):
        stem, *splits = entry.split()
        for split in splits or SPLITS:
            member = f"ud-treebanks-v{places.version('ud')}/{stem}-ud-{split}.conllu"
            paths.setdefault(split, []).append(places.unpacked("ud", member))
    return paths


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all parts of speech, in order."""
    return TAGS


def read(files: Mapping[str, Any], split: str, _: Mapping[str, Any]) -> Iterator[SentenceRow]:
    """Stream a split of all treebanks of a language in turn, or of the user's single file."""
    given = files.get(split, [])
    paths = [given] if isinstance(given, str) else given
    return sentence_rows(chain.from_iterable(map(read_conllu, paths)))


def read_conllu(path: str | Path) -> Iterator[Sentence]:
    """Read syntactic words and their UPOS tags, skipping multi-word ranges and empty nodes."""
    return group_sentences(_tokens(path), path)


def _tokens(path: str | Path) -> Iterator[Token | None]:
    for number, line in numbered_lines(path):
        if line.startswith("#"):
            continue
        if not line.strip():
            yield None
            continue
        fields = line.split("\t")
        if len(fields) != COLUMNS or not fields[1]:
            filled = sum(map(bool, fields))
            raise InputError(
                f"{path}:{number}: {COLUMNS} columns expected in CoNLL-U, not {filled}; correct it"
            )
        if WORD.fullmatch(fields[0]):
            yield fields[1], check_label(fields[3], TAGS, f"{path}:{number}", "UPOS")
        elif not NOT_A_WORD.fullmatch(fields[0]):
            raise InputError(
                f"{path}:{number}: ID {fields[0]!r} is not a word (3), range (3-4) or node (5.1); correct it"
            )
