"""Plain text in CC100's layout, sampled to tokenised sentences or whole paragraphs."""

from __future__ import annotations

import hashlib
import logging
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import dropwhile, groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xstitch.core.errors import InputError
from xstitch.core.forks import forked_map
from xstitch.core.lines import decoded_lines
from xstitch.core.parquet import ROW_GROUP, write_rows
from xstitch.core.progress import progress
from xstitch.sources.segmentation import Segmenter
from xstitch.sources.text_files import DAMAGED, is_cut, open_text

LOG = logging.getLogger("xstitch")
SCHEMA = pa.schema([("document", pa.int64()), ("paragraph", pa.int64()), ("text", pa.string())])
PART = 50_000  # sentences saved at a time: seconds to minutes of work, depending on the tool

Position = tuple[int, int]  # of a paragraph: its document, its number in it
Row = tuple[int, int, str]


def sample_corpus(
    text: Path,
    segment: Segmenter,
    settings: Mapping[str, Any],
    seed: int,
    parts: Path,
    output: Path,
    processes: int = 1,
) -> int:
    """Write a sample and return its number of sentences; a killed run resumes after its last saved part.

    Several processes segment the text; the sample is the same for any number of them.
    """
    done, after = _saved(parts)
    rest = {**settings, "sentences": settings["sentences"] - done}
    rows = sample_sentences(text, segment, rest, seed, after, processes)
    started, count = time.perf_counter(), done
    for part in _at_paragraph_ends(progress(rows, "sampling", settings["sentences"], "sent", done)):
        count += write_rows(part, SCHEMA, parts / f"{count:012d}.parquet")
    if not count:
        raise InputError(_nothing_found(text, settings))
    if count < settings["sentences"] and is_cut(text, settings.get("head")):
        shutil.rmtree(parts)
        raise InputError(_too_few(text, settings, count))
    seconds = time.perf_counter() - started
    LOG.info("%s sentences, %s sentences/s", f"{count:,}", f"{(count - done) / seconds:,.0f}")
    write_rows(_read_parts(parts), SCHEMA, output)
    shutil.rmtree(parts, ignore_errors=True)
    return count


def _nothing_found(text: Path, settings: Mapping[str, Any]) -> str:
    if settings.get("unit") == "paragraph":
        return f"{text}: no paragraph; take more text"
    bounds = f"min_sentences={settings['min_sentences']} and min_tokens={settings['min_tokens']}"
    return f"{text}: no paragraph in the sample meets {bounds}; take more text, or lower these"


def _too_few(text: Path, settings: Mapping[str, Any], count: int) -> str:
    """A text that ends has what it has; one that we cut must not make a small sample unnoticed."""
    wanted, megabytes = settings["sentences"], settings["head"] / 1e6
    return (
        f"{text}: only {count:,} of {wanted:,} sentences in its first {megabytes:g} MB; raise "
        "bytes_per_sentence of the corpus, or ask for fewer sentences"
    )


def parts_folder(folder: Path, text: Path, what: str) -> Path:
    """Name the folder of a run's parts after everything the run depends on; remove the parts of other runs.

    The text is identified by size and date: reading it to compute a checksum takes as long as sampling it.
    """
    state = text.stat()
    name = hashlib.sha256(f"{what} {state.st_size} {state.st_mtime_ns}".encode()).hexdigest()[:16]
    parts = folder.with_name(f"{folder.name}.{name}")
    for other in folder.parent.glob(f"{folder.name}.*"):
        if other != parts:
            shutil.rmtree(other, ignore_errors=True)
    return parts


def sample_sentences(
    path: str | Path,
    segment: Segmenter,
    settings: Mapping[str, Any],
    seed: int,
    after: Position | None = None,
    processes: int = 1,
) -> Iterator[Row]:
    """Stream tokenised sentences from a seeded sample of documents until there are enough.

    A sample that was begun goes on behind its last paragraph (`after`).
    """
    paragraphs = _sampled_paragraphs(path, settings, seed)
    if after is not None:
        paragraphs = islice(dropwhile(lambda row: row[:2] != after, paragraphs), 1, None)
    if settings.get("unit") == "paragraph":
        return islice(paragraphs, settings["sentences"])
    tokenised = forked_map(partial(_sentences, segment, settings), paragraphs, processes)
    return islice((row for rows in tokenised for row in rows), settings["sentences"])


def _sentences(segment: Segmenter, settings: Mapping[str, Any], paragraph: Row) -> list[Row]:
    """Return what a paragraph adds to the sample: its tokenised sentences, with its position."""
    document, number, text = paragraph
    sentences = _long_enough(segment(text), settings)
    return [(document, number, " ".join(tokens)) for tokens in sentences]


def _long_enough(sentences: list[list[str]], settings: Mapping[str, Any]) -> list[list[str]]:
    """Drop paragraphs with too few sentences, such as headlines, and sentences with too few tokens."""
    if len(sentences) < settings["min_sentences"]:
        return []
    return [tokens for tokens in sentences if len(tokens) >= settings["min_tokens"]]


def _sampled_paragraphs(path: str | Path, settings: Mapping[str, Any], seed: int) -> Iterator[Row]:
    """Yield document number, paragraph number and text; one draw per document decides when it is sampled.

    The text is read once for the documents drawn below `share`. If these are not enough, it is read again for
    those below twice the share, and so on until no document is left: a small text is used whole. What follows
    the head of a file is never read, even if it is there. `part` deals out the sampled documents in turn:
    parts have none in common, and span the whole text.
    """
    part, parts = settings.get("part", (1, 1))
    low, high, chosen, drawn = 0.0, settings["share"], False, 0
    while low < 1:
        random = np.random.default_rng(seed)  # every reading makes the same draws
        for document, number, paragraph in _paragraphs(path, settings.get("head")):
            if number == 0:
                sampled = low <= random.random() < high
                chosen = sampled and drawn % parts == part - 1
                drawn += sampled
            if chosen:
                yield document, number, paragraph
        low, high = high, min(1.0, 2 * high)


def _paragraphs(path: str | Path, head: int | None) -> Iterator[Row]:
    """Yield every paragraph with its position: one paragraph per line, a blank line between documents."""
    document = number = 0
    try:
        with open_text(Path(path), head) as stream:
            for _, line in decoded_lines(stream, path):
                if paragraph := line.strip():
                    yield document, number, paragraph
                    number += 1
                elif number:
                    document, number = document + 1, 0
    except DAMAGED as problem:
        raise InputError(
            f"{path}: not a complete .xz or .gz file ({problem}); remove it and run again"
        ) from problem


def _at_paragraph_ends(rows: Iterable[Row]) -> Iterator[list[Row]]:
    part: list[Row] = []
    for _, sentences in groupby(rows, key=lambda row: row[:2]):
        part += sentences
        if len(part) >= PART:
            yield part
            part = []
    if part:
        yield part


def _saved(parts: Path) -> tuple[int, Position | None]:
    """Count the sentences that a killed run saved, and find its last paragraph, if there is one."""
    done, after = 0, None
    try:
        for document, number, _ in _read_parts(parts):
            done, after = done + 1, (document, number)
    except (pa.ArrowException, OSError) as problem:
        LOG.warning("%s cannot be read (%s): ignored and removed", parts, problem)
        shutil.rmtree(parts, ignore_errors=True)
        return 0, None
    if done:
        LOG.info("resumed after %s sentences", f"{done:,}")
    return done, after


def _read_parts(parts: Path) -> Iterator[Row]:
    for file in sorted(parts.glob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(ROW_GROUP):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
