"""Taxi1500: Bible verses on six topics.

The labels are published with English verses; the authors' files of other languages are the user's to provide.
Without them, the labels are joined to a verse-aligned Bible on verse numbers; line N of eBible's files is the
verse on line N of `vref.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines, some_rows
from xstitch.sources.tasks.places import SPLITS, Places
from xstitch.sources.tasks.rows import Example, check_label

LABELS = ("Recommendation", "Faith", "Description", "Sin", "Grace", "Violence")
# The 66 books, ordered as they are numbered in verse ids; eBible lists further books after them.
BOOKS = (
    "GEN EXO LEV NUM DEU JOS JDG RUT 1SA 2SA 1KI 2KI 1CH 2CH EZR NEH EST JOB PSA PRO ECC SNG ISA JER LAM "
    "EZK DAN HOS JOL AMO OBA JON MIC NAM HAB ZEP HAG ZEC MAL MAT MRK LUK JHN ACT ROM 1CO 2CO GAL EPH PHP "
    "COL 1TH 2TH 1TI 2TI TIT PHM HEB JAS 1PE 2PE 1JN 2JN 3JN JUD REV"
).split()


def files(lang: str, _: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of the labelled files and, for another language, of a Bible to join them to.

    The authors' own files of a language come before any Bible, if the user has them.
    """
    labelled = {split: places.resource("taxi1500", f"eng_data/eng_{split}.tsv") for split in SPLITS}
    if lang == places.source:
        return labelled
    bible = places.languages[lang]["ebible"]
    own = {split: f"{lang}_{split}.tsv" for split in SPLITS}
    if not bible or any(places.copied("taxi1500-corpus", file) for file in own.values()):
        return {split: places.resource("taxi1500-corpus", file) for split, file in own.items()}
    return {
        **labelled,
        "references": places.resource("ebible", "metadata/vref.txt"),
        "verses": places.resource("ebible", f"corpus/{bible}.txt"),
    }


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all labels, in order."""
    return LABELS


def read(files: Mapping[str, str], split: str, _: Mapping[str, Any]) -> Iterator[Example]:
    """Stream a split: labelled verses as they are, or another language's verses joined to the labels."""
    if "verses" in files:
        return join_verses(files[split], files["references"], files["verses"])
    return read_labelled(files[split])


def read_labelled(path: str | Path) -> Iterator[Example]:
    """Read `id TAB label TAB verse` lines, the layout of the original files."""
    return (example for _, example in _numbered_examples(path))


def _numbered_examples(path: str | Path) -> Iterator[tuple[int, Example]]:
    return some_rows(_examples(path), path, "labelled verse")


def _examples(path: str | Path) -> Iterator[tuple[int, Example]]:
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != 3:
            problem = f"'id TAB label TAB verse' expected, not {len(fields)} fields"
            raise InputError(f"{path}:{number}: {problem}; correct or delete the line")
        check_label(fields[1], LABELS, f"{path}:{number}")
        yield number, Example(*fields)


def join_verses(labelled: str | Path, references: str | Path, verses: str | Path) -> Iterator[Example]:
    """Give another language's verses the labels of the English ones; missing verses are left out."""
    return some_rows(_joined(labelled, references, verses), verses, "labelled verse")


def _joined(labelled: str | Path, references: str | Path, verses: str | Path) -> Iterator[Example]:
    texts = _verses_by_reference(references, verses)
    for number, (verse_id, label, _) in _numbered_examples(labelled):
        try:
            text = texts[verse_reference(verse_id)]
        except (KeyError, ValueError) as problem:
            location = f"{labelled}:{number}"
            raise InputError(
                f"{location}: verse {verse_id!r} is not in {references}; correct it"
            ) from problem
        if text and text != "<range>":
            yield Example(verse_id, label, text)


def verse_reference(verse_id: str) -> str:
    """Turn a verse number BBCCCVVV (40005003) into eBible's reference (MAT 5:3)."""
    if len(verse_id) not in (7, 8) or not verse_id.isdigit():
        raise ValueError(f"{verse_id!r} is not a verse number BBCCCVVV")
    book, chapter, verse = int(verse_id[:-6]), int(verse_id[-6:-3]), int(verse_id[-3:])
    if not 1 <= book <= len(BOOKS):
        raise ValueError(f"{verse_id!r}: no book {book}")
    return f"{BOOKS[book - 1]} {chapter}:{verse}"


def _verses_by_reference(references: str | Path, verses: str | Path) -> dict[str, str]:
    # Not splitlines(): verses contain other characters that it takes for line ends.
    names, texts = ([line for _, line in numbered_lines(file)] for file in (references, verses))
    if len(names) != len(texts):
        counts = f"has {len(texts)} lines, but {references} has {len(names)}"
        raise InputError(f"{verses}: {counts}: not aligned; fetch both files again")
    return {name.strip(): text.strip() for name, text in zip(names, texts, strict=True)}
