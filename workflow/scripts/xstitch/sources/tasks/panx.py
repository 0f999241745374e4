"""PAN-X: names of persons, organisations and places in Wikipedia, in XTREME's splits.

XTREME's files have `token TAB tag` lines; the archives they are made from, and WikiANN's, put the language
before every token: `de:Anton TAB B-PER`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

TAGS = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC")


def files(lang: str, _: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of all splits in WikiANN's archive of Rahimi et al., with one archive per language."""
    archive = f"panx_dataset/{lang}.tar.gz"
    return {split: places.unpacked("wikiann", split, archive) for split in SPLITS}


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all tags, in order."""
    return TAGS


def read(files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[SentenceRow]:
    """Stream a split in the task's language."""
    return sentence_rows(read_panx(files[split], task["language"])) if split in files else iter(())


def read_panx(path: str | Path, language: str) -> Iterator[Sentence]:
    """Read a split with or without the language before its tokens; the first token decides."""
    return group_sentences(_tokens(path, f"{language}:", prefixed=None), path)


def read_prefixed(path: str | Path, language: str) -> Iterator[Sentence]:
    """Read a split in which every token must have the language before it."""
    return group_sentences(_tokens(path, f"{language}:", prefixed=True), path)


def _tokens(path: str | Path, prefix: str, prefixed: bool | None) -> Iterator[Token | None]:
    for number, line in numbered_lines(path):
        if not line.strip():
            yield None
            continue
        fields = line.split("\t")
        if len(fields) != 2:
            raise InputError(
                f"{path}:{number}: 'token TAB tag' expected, not {len(fields)} fields; correct the line"
            )
        word, tag = fields
        if prefixed is None:
            prefixed = word.startswith(prefix)
        if prefixed and not word.startswith(prefix):
            raise InputError(f"{path}:{number}: {word!r} lacks the prefix {prefix!r}; another language?")
        word = word.removeprefix(prefix) if prefixed else word
        yield word, check_label(tag.strip(), TAGS, f"{path}:{number}", "tag")
