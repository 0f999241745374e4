"""XNLI, and MultiNLI to train for it: pairs of sentences with entailment, contradiction, or neither.

Four layouts are in use, distinguished by their first line: the original tables, which name their columns, and
the same as JSON lines; XNLI's machine-translated training data (`premise hypo label`, where contradiction is
spelt contradictory); and XTREME's three columns without a header.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.lines import numbered_lines, parse_json, some_rows
from xstitch.sources.tasks.places import SPLITS, Places
from xstitch.sources.tasks.rows import LabelledPair, check_label

LABELS = ("entailment", "neutral", "contradiction")
SPELLINGS = {"contradictory": "contradiction"}
NO_LABEL = "-"  # the annotators did not agree
TABLE = ("sentence1", "sentence2", "gold_label")
TRANSLATED = ("premise", "hypo", "label")
ANNOTATORS = ("label2", "label3", "label4", "label5")


class Pair(NamedTuple):
    """Two sentences and how they relate; `id` is that of the corpus, or the line number."""

    id: str
    premise: str
    hypothesis: str
    label: str


Record = Mapping[str, str]


def files(lang: str, task: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of the pairs; those to train on are MultiNLI's, translated from English.

    A task with `portions` takes all of its splits from the training pairs.
    """
    train = places.unpacked("xnli-mt", f"XNLI-MT-1.0/multinli/multinli.train.{lang}.tsv")
    if "portions" in task:
        return dict.fromkeys(SPLITS, train)
    xnli = {split: places.unpacked("xnli", f"XNLI-1.0/xnli.{split}.tsv") for split in ("dev", "test")}
    return {"train": train, **xnli}


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all labels, in order."""
    return LABELS


def read(files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[LabelledPair]:
    """Stream a split in the task's language; with `portions`, from the language's part of the file."""
    if split in files:
        pairs = read_xnli(files[split], task["language"])
        if "portions" in task:
            pairs = _portion(files[split], pairs, split, task)
        for pair in pairs:
            yield LabelledPair(pair.id, pair.label, pair.premise, pair.hypothesis)


def _portion(path: str | Path, pairs: Iterator[Pair], split: str, task: Mapping[str, Any]) -> Iterator[Pair]:
    """Take a split from a language's portion, by a draw that is the same for all languages.

    A pair has the same line number in all translations of a corpus, so no pair is drawn in two languages.
    If a file has fewer portions than there are languages, some languages share one.
    """
    sizes = {name: task["portions"][name] for name in ("train", "dev", "test")}
    size = sum(sizes.values())
    total = sum(1 for _ in read_xnli(path, task["language"]))
    if total < size:
        raise InputError(f"{path}: holds {total} labelled pairs, but `portions` asks for {size}; lower it")
    start = task["portion"] % (total // size) * size + sum(
        sizes[name] for name in list(sizes)[: list(sizes).index(split)]
    )
    order = np.random.default_rng(task["seed"]).permutation(total)
    chosen = set(order[start : start + sizes[split]].tolist())
    yield from (pair for number, pair in enumerate(pairs) if number in chosen)


def read_xnli(path: str | Path, language: str | None = None) -> Iterator[Pair]:
    """Read labelled pairs in any layout; from a file in many languages, those in one.

    Pairs without an agreed label are left out. A file that names no languages is read as a whole.
    """
    noun = "labelled pair" if language is None else f"labelled pair in language {language!r}"
    return some_rows(_pairs(path, language), path, noun)


def _pairs(path: str | Path, language: str | None) -> Iterator[Pair]:
    for number, record in _records(path):
        location = f"{path}:{number}"
        if "language" in record and language is None:
            raise InputError(f"{location}: the file is in several languages; say which one to read")
        if record.get("language", language) != language:
            continue
        premise, hypothesis, label = (_field(record, key, location) for key in _columns(record))
        label = SPELLINGS.get(label, label)
        if label != NO_LABEL:
            check_label(label, LABELS, location)
            yield Pair(record.get("pairID") or str(number), premise, hypothesis, label)


def _columns(record: Record) -> Sequence[str]:
    return TRANSLATED if TRANSLATED[0] in record else TABLE


def _field(record: Record, key: str, location: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise InputError(f"{location}: no column or key {key!r}; is it a file of XNLI or MultiNLI?")
    return value


def _records(path: str | Path) -> Iterator[tuple[int, Record]]:
    """Yield the line number and the columns of every row."""
    lines = ((number, line) for number, line in numbered_lines(path) if line.strip())
    first = next(lines, None)
    if first is None:
        return iter(())
    if first[1].startswith("{"):
        return _json_records(chain([first], lines), path)
    header = first[1].split("\t")
    if set(TABLE) & set(header) or tuple(header) == TRANSLATED:
        return _table_records(lines, header, path)
    return _table_records(chain([first], lines), TRANSLATED, path)


def _table_records(
    lines: Iterator[tuple[int, str]], header: Sequence[str], path: str | Path
) -> Iterator[tuple[int, Record]]:
    for number, line in lines:
        fields = line.split("\t")
        fields += _stripped_columns(fields, header)
        if len(fields) != len(header):
            raise InputError(
                f"{path}:{number}: {len(header)} columns expected, not {len(fields)}; correct the line"
            )
        yield number, dict(zip(header, fields, strict=True))


def _stripped_columns(fields: Sequence[str], header: Sequence[str]) -> list[str]:
    """Return the empty columns that a row has lost at its end: MultiNLI's last ones, of further annotators.

    If an earlier column is missing instead, a label has moved into the genre.
    """
    missing = tuple(header[len(fields) :])
    if not missing or missing != ANNOTATORS[-len(missing) :]:
        return []
    moved = dict(zip(header, fields, strict=False)).get("genre") in LABELS
    return [] if moved else [""] * len(missing)


def _json_records(lines: Iterator[tuple[int, str]], path: str | Path) -> Iterator[tuple[int, Record]]:
    for number, line in lines:
        record = parse_json(line, path, number)
        if not isinstance(record, dict):
            raise InputError(
                f"{path}:{number}: a JSON object expected, not {type(record).__name__}; is the file complete?"
            )
        yield number, record
