"""CoNLL-2002 (Spanish, Dutch) and CoNLL-2003 (English, German): names in newspapers.

The shared tasks' files are in ISO-8859-1, copies in circulation in UTF-8. Documents begin with a -DOCSTART-
line, which is not a word. The tags of 2003 are IOB1 in the original (B- only between adjacent names of the
same kind) and IOB2 in most copies; they are always returned as IOB2.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines
from xstitch.sources.tasks.places import Places
from xstitch.sources.tasks.rows import (
    Sentence,
    SentenceRow,
    Token,
    check_label,
    group_sentences,
    sentence_rows,
)

TAGS = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC", "B-MISC", "I-MISC")
DOCUMENT = "-DOCSTART-"
BLOCK = 1 << 20  # bytes read at a time
LATIN = "iso-8859-1"
# Any byte is legal in ISO-8859-1, but these characters are not text: the file is in another encoding.
CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")


ENDINGS = {"train": "train", "dev": "testa", "test": "testb"}


def edition(lang: str, places: Places) -> str:
    """Return the year of a language's shared task; empty if there was none."""
    return places.languages[lang]["conll"].partition("/")[0]


def files(lang: str, _: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of all splits of a language, such as esp.testa for development."""
    year, __, name = places.languages[lang]["conll"].partition("/")
    if not name:
        raise InputError(
            f"config/languages.tsv: {lang}: no file of the CoNLL shared tasks is known (column conll)"
        )
    return {split: places.resource(f"conll{year}", f"{name}.{ending}") for split, ending in ENDINGS.items()}


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all tags, in order."""
    return TAGS


def read(files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[SentenceRow]:
    """Stream a split; the task's `edition`, the year of the shared task, decides its columns."""
    readers = {"2002": read_conll2002, "2003": read_conll2003}
    return sentence_rows(readers[task["edition"]](files[split])) if split in files else iter(())


def read_conll2002(path: str | Path) -> Iterator[Sentence]:
    """Read `word part-of-speech tag` lines."""
    return group_sentences(_tokens(path, (3,)), path)


def read_conll2003(path: str | Path) -> Iterator[Sentence]:
    """Read `word [lemma] part-of-speech chunk tag` lines; only the German files have lemmas."""
    for sentence in group_sentences(_tokens(path, (4, 5)), path):
        yield sentence._replace(tags=as_iob2(sentence.tags))


def as_iob2(tags: Sequence[str]) -> tuple[str, ...]:
    """Make every name begin with B-, as in IOB2; tags that are already IOB2 stay as they are."""
    previous_tags = ("O", *tags)
    return tuple(
        f"B{tag[1:]}" if tag.startswith("I-") and previous[1:] != tag[1:] else tag
        for previous, tag in zip(previous_tags, tags, strict=False)
    )


def _tokens(path: str | Path, columns: Sequence[int]) -> Iterator[Token | None]:
    encoding = find_encoding(path)
    for number, line in numbered_lines(path, encoding):
        if CONTROLS.search(line):
            raise InputError(f"{path}:{number}: neither UTF-8 nor ISO-8859-1 text; convert the file")
        if encoding == LATIN and _is_utf8(line):
            raise InputError(
                f"{path}:{number}: UTF-8 in a file that is not UTF-8 throughout; convert the file"
            )
        fields = re.split("[ \t]+", line.strip(" \t"))  # not at the no-break spaces within words
        if fields[0] in ("", DOCUMENT):
            yield None
        elif len(fields) not in columns:
            legal = " or ".join(map(str, columns))
            raise InputError(
                f"{path}:{number}: {legal} columns expected, not {len(fields)}: {line[:60]!r}; correct it"
            )
        else:
            yield fields[0], check_label(fields[-1], TAGS, f"{path}:{number}", "tag")


def _is_utf8(line: str) -> bool:
    """Whether a line read as ISO-8859-1 is really UTF-8; none of 37,657 Spanish lines is so by chance."""
    try:
        return not line.isascii() and bool(line.encode(LATIN).decode("utf-8"))
    except UnicodeDecodeError:
        return False


def find_encoding(path: str | Path) -> str:
    """Return UTF-8 if all of the file is, otherwise ISO-8859-1."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with Path(path).open("rb") as stream:
            while block := stream.read(BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return LATIN
    return "utf-8"
