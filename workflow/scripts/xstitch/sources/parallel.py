"""Parallel sentences: OPUS' Moses files, plain or zipped, streamed; a seeded sample in random order."""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import IO

import numpy as np
import pyarrow as pa

from xstitch.core.errors import InputError
from xstitch.core.integrity import DAMAGE
from xstitch.core.lines import decoded_lines, opened
from xstitch.core.parquet import write_table
from xstitch.core.progress import progress

LOG = logging.getLogger("xstitch")
Pair = tuple[str, str]
SCHEMA = pa.schema([("source", pa.string()), ("target", pa.string())])


def sample_parallel(
    corpora: Mapping[str, Iterable[Pair]],
    size: int,
    seed: int,
    split: tuple[Callable[[str], list[str]], ...],
    output: Path,
) -> dict[str, int]:
    """Write a shuffled sample of all corpora, its words separated by spaces; return each corpus' pair count.

    `split` holds two functions that split sentences of the source and of the target side into words.
    """
    counts = dict.fromkeys(corpora, 0)
    pairs = (pair for name, corpus in corpora.items() for pair in _counted(corpus, name, counts))
    chosen = draw_sample(pairs, size, np.random.default_rng(seed))
    if not chosen:
        raise InputError(f"{output}: the files hold no pair of sentences; are they the right ones?")
    columns = [
        pa.array(
            [" ".join(words(pair[side])) for pair in progress(chosen, "words", unit="pair")], pa.string()
        )
        for side, words in enumerate(split)
    ]
    write_table(pa.Table.from_arrays(columns, schema=SCHEMA), output)
    LOG.info("%d of %d pairs of sentences", len(chosen), sum(counts.values()))
    return counts


def _counted(pairs: Iterable[Pair], name: str, counts: dict[str, int]) -> Iterator[Pair]:
    for pair in pairs:
        counts[name] += 1
        yield pair


def draw_sample(pairs: Iterable[Pair], size: int, random: np.random.Generator) -> list[Pair]:
    """Draw pairs from a stream of any length with equal probability (reservoir sampling), in random order."""
    reservoir: list[Pair] = []
    for number, pair in enumerate(progress(pairs, "parallel sentences", unit="pair"), start=1):
        if len(reservoir) < size:
            reservoir.append(pair)
        elif (index := int(random.integers(number))) < size:
            reservoir[index] = pair
    return [reservoir[i] for i in random.permutation(len(reservoir))]


def read_moses(files: Sequence[Path], source: str, target: str) -> Iterator[Pair]:
    """Yield the pairs of a zip with one member per language, or of two files: source, then target.

    Pairs with an empty side, which occur in these corpora, are left out.
    """
    with ExitStack() as stack:
        try:
            if len(files) == 1:
                sides = _open_zip(files[0], (source, target), stack)
            else:
                sides = [(str(path), stack.enter_context(opened(path))) for path in files]
            yield from _pairs(*sides)
        except DAMAGE as problem:
            reason = " ".join(str(problem).split())[:80]
            raise InputError(f"{files[0]}: cannot be read ({reason}); download it again") from problem


def _open_zip(path: Path, languages: tuple[str, str], stack: ExitStack) -> list[tuple[str, IO[bytes]]]:
    try:
        archive = stack.enter_context(zipfile.ZipFile(path))
    except (zipfile.BadZipFile, OSError) as problem:
        raise InputError(f"{path}: not a zip archive ({problem}); give two plain files instead") from problem
    names = archive.namelist()
    sides = []
    for language in languages:
        matching = [name for name in names if PurePosixPath(name).suffix == f".{language}"]
        if len(matching) != 1:
            present = ", ".join(names[:5]) or "none"
            raise InputError(
                f"{path}: one member *.{language} expected, not {len(matching)}; it has {present}; "
                "give two plain files instead"
            )
        sides.append((f"{path}/{matching[0]}", stack.enter_context(archive.open(matching[0]))))
    return sides


def _pairs(source: tuple[str, IO[bytes]], target: tuple[str, IO[bytes]]) -> Iterator[Pair]:
    empty = 0
    sides = [decoded_lines(stream, name) for name, stream in (source, target)]
    for number, lines in enumerate(zip_longest(*sides), start=1):
        for (name, _), (other, _), line in ((source, target, lines[0]), (target, source, lines[1])):
            if line is None:
                raise InputError(
                    f"{name}:{number}: no such line, but {other} has one; not aligned: fetch both again"
                )
        texts = tuple(line.strip() for _, line in lines)
        if all(texts):
            yield texts
        else:
            empty += 1
    if empty:
        LOG.info("%s: %d pairs with an empty side left out", source[0], empty)
