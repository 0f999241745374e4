"""Universal Dependencies: words and their universal part-of-speech tags, from CoNLL-U files.

Words are the syntactic ones, or those of XTREME, whose models see text as it is written: a form that stands
for several words ("du", de le) is one word with the tag of the highest of them in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

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
ID = re.compile("([1-9][0-9]*)(?:-([1-9][0-9]*))?")  # `3`, or `3-4 du`: the written form of 3 and 4
EMPTY_NODE = re.compile("[0-9]+[.][1-9][0-9]*")  # `5.1`: not in the text
# XTREME: of words that are equally high, the one whose tag comes first gives its tag to the form they share.
PRECEDENCE = "VERB NOUN PROPN PRON ADJ NUM ADV INTJ AUX ADP DET PART CCONJ SCONJ X PUNCT".split()
PRECEDENCE_OF = {
    "es": "VERB AUX PRON ADP DET".split(),
    "fr": "VERB AUX PRON NOUN ADJ ADV ADP DET PART SCONJ CONJ".split(),
    "it": "VERB AUX ADV PRON ADP DET INTJ".split(),
}
SPACES = str.maketrans("", "", " \u200c")  # Vietnamese and Persian words have them, those of XTREME do not


class Line(NamedTuple):
    """A word, or the written form of several words; a form has no tag and no head."""

    first: int
    last: int
    form: str
    tag: str
    head: int


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


def read(files: Mapping[str, Any], split: str, task: Mapping[str, Any]) -> Iterator[SentenceRow]:
    """Stream a split of all treebanks of a language in turn, or of the user's single file."""
    given = files.get(split, [])
    paths = [given] if isinstance(given, str) else given
    if task.get("words") == "xtreme":
        sentences = (read_written(path, task["language"]) for path in paths)
    else:
        sentences = map(read_conllu, paths)
    return sentence_rows(chain.from_iterable(sentences))


def read_conllu(path: str | Path) -> Iterator[Sentence]:
    """Read syntactic words and their UPOS tags, skipping multi-word ranges and empty nodes."""
    lines = (line for line in _lines(path) if line is None or line.first == line.last)
    return group_sentences((line and (line.form, line.tag) for line in lines), path)


def read_written(path: str | Path, language: str) -> Iterator[Sentence]:
    """Read words as XTREME prepares them: as they are written, without spaces within a word."""
    return group_sentences(_written(_lines(path), PRECEDENCE_OF.get(language, PRECEDENCE)), path)


def _written(lines: Iterable[Line | None], precedence: Sequence[str]) -> Iterator[Token | None]:
    sentence: list[Line] = []
    for line in chain(lines, [None]):
        if line is not None:
            sentence.append(line)
            continue
        for form, tag in _joined(sentence, precedence):
            yield form.translate(SPACES) or form, tag
        yield None
        sentence = []


def _joined(sentence: Sequence[Line], precedence: Sequence[str]) -> Iterator[Token]:
    """Put each form in the place of the words that it stands for."""
    words = {line.first: line for line in sentence if line.first == line.last}
    done = 0
    for line in sentence:
        if line.first <= done:
            continue
        done = line.last
        parts = [words[number] for number in range(line.first, line.last + 1) if number in words]
        if parts:
            yield line.form, min(parts, key=lambda part: _rank(part, words, precedence)).tag


def _rank(word: Line, words: Mapping[int, Line], precedence: Sequence[str]) -> tuple[int, int]:
    """Order words: first those nearest to the root, then by tag."""
    return _depth(word, words), precedence.index(word.tag) if word.tag in precedence else len(precedence)


def _depth(word: Line, words: Mapping[int, Line]) -> int:
    """Count the words between a word and the root."""
    above = set()
    while word.head in words and word.head not in above:
        above.add(word.head)
        word = words[word.head]
    return len(above)


def _lines(path: str | Path) -> Iterator[Line | None]:
    """Read the words and forms of sentences, each ended by None."""
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
        if parsed := ID.fullmatch(fields[0]):
            yield _line(fields, parsed, f"{path}:{number}")
        elif not EMPTY_NODE.fullmatch(fields[0]):
            raise InputError(
                f"{path}:{number}: ID {fields[0]!r} is not a word (3), range (3-4) or node (5.1); correct it"
            )


def _line(fields: Sequence[str], parsed: re.Match[str], location: str) -> Line:
    first, last = int(parsed[1]), int(parsed[2] or parsed[1])
    tag = "_" if parsed[2] else check_label(fields[3], TAGS, location, "UPOS")
    return Line(first, last, fields[1], tag, int(fields[6]) if fields[6].isdecimal() else 0)
