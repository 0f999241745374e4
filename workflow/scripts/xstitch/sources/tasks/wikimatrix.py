"""WikiMatrix: sentences of Wikipedia with the same meaning in two languages, mined by LASER.

A file, `WikiMatrix.en-es.tsv.gz`, has on each line the margin score of a pair and its sentences, separated by
tabs, in the alphabetical order of the two languages; the best pairs come first. The rows of a task are the
sentences of the source language that all of its targets translate, so that the same id means the same.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from xstitch.core.errors import InputError
from xstitch.core.integrity import DAMAGE
from xstitch.core.lines import decoded_lines, some_rows
from xstitch.sources.tasks.places import Places
from xstitch.sources.tasks.rows import Example

Pair = tuple[str, str]  # the source language's sentence, then the target's
HEAD, TAIL = "WikiMatrix.", ".tsv.gz"


def files(lang: str, task: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return the paths of the pairs of every target: together they decide which sentences are taken."""
    targets = task["targets"]
    if lang not in (places.source, *targets):
        raise InputError(
            f"config: a task of kind wikimatrix needs sentences in {lang}; add it to its targets"
        )
    codes = {tgt: "-".join(sorted((places.source, tgt))) for tgt in targets}
    return {tgt: places.resource("wikimatrix", f"{HEAD}{code}{TAIL}") for tgt, code in codes.items()}


def labels(_: Mapping[str, Any]) -> tuple[str, ...]:
    """Return no labels: the sentences serve as anchors."""
    return ()


def read(files: Mapping[str, str], split: str, task: Mapping[str, Any]) -> Iterator[Example]:
    """Yield the sentences of a language, in the order of the source language's; all are training texts."""
    if split == "train":
        yield from some_rows(_sentences(files, task), next(iter(files.values())), "sentence of all targets")


def _sentences(files: Mapping[str, str], task: Mapping[str, Any]) -> Iterator[Example]:
    language, threshold = task["language"], task["threshold"]
    shared = _shared(files, threshold)
    target = language if language in files else next(iter(files))
    sentences: dict[str, str] = {}
    for source, translation in read_pairs(files[target], target, threshold):
        if _digest(source) in shared:  # of several translations the first, which scores best
            sentences.setdefault(source, translation if language in files else source)
    for number, source in enumerate(sorted(sentences), start=1):
        yield Example(str(number), "", sentences[source])


def _shared(files: Mapping[str, str], threshold: float) -> set[bytes]:
    """Find the source sentences that every target translates; as digests, for there are millions."""
    found: set[bytes] | None = None
    for target, path in files.items():
        here = {_digest(source) for source, _ in read_pairs(path, target, threshold)}
        found = here if found is None else found & here
    return found or set()


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def read_pairs(path: str | Path, target: str, threshold: float) -> Iterator[Pair]:
    """Stream the pairs that score at least the threshold, without those of two equal sentences."""
    column = Path(path).name.removeprefix(HEAD).removesuffix(TAIL).split("-").index(target)
    try:
        with gzip.open(path, "rb") as stream:
            for number, line in decoded_lines(stream, path):
                score, sides = _parsed(line, f"{path}:{number}")
                if score < threshold:
                    return
                if all(sides) and sides[0] != sides[1]:
                    yield sides[1 - column], sides[column]
    except DAMAGE as problem:
        reason = " ".join(str(problem).split())[:80]
        raise InputError(f"{path}: cannot be read ({reason}); download it again") from problem


def _parsed(line: str, location: str) -> tuple[float, list[str]]:
    score, *sentences = line.split("\t")
    if len(sentences) < 2:
        raise InputError(
            f"{location}: a score and two sentences between tabs expected; is it the right file?"
        )
    try:
        return float(score), [text.strip() for text in sentences[:2]]
    except ValueError:
        raise InputError(f"{location}: not a score: {score[:40]!r}; is it the right file?") from None
