"""What a user's file is: word vectors, a dictionary, plain text or labelled texts; and how much it holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from xstitch.command.reading import text_lines
from xstitch.core.errors import InputError
from xstitch.sources.lexica import read_muse, read_tsv
from xstitch.sources.tasks import tsv
from xstitch.sources.words import unicode_words
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.table import lower_cased

VECTORS = re.compile(r"\.(vec|bin|kv|w2v)(\.(gz|xz|bz2|zip))?$")
HEADER = re.compile(r"\d+ \d+")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(e[-+]?\d+)?", re.I)
LEAST_VALUES = 10  # numbers after a word: vectors are longer
LOOKED_AT = 20  # lines
ROWS = 200_000  # of vectors: as many as a run takes by default; more would fill the memory
MANY_SAME = 0.9  # of the pairs of MUSE's en-es, 55 % are names and other words that both languages have
LONG_LINE, LITTLE_TEXT = 10_000, 100_000  # words and marks
FEW_LABELS = 1  # texts; such a label is often a slip
EMPTY = "{}: the file is empty; is it complete?"


def kind_of(path: Path) -> str:
    """Guess what a file is by its name and first lines."""
    require_file(path)
    if VECTORS.search(path.name.lower()):
        return "vectors"
    with path.open("rb") as stream:
        if b"\0" in stream.read(1 << 12) and not re.search(r"\.(gz|xz)$", path.name):
            return "vectors"  # their reader knows binary files, and refuses others
    lines = [line for _, line in islice(text_lines(path), LOOKED_AT) if line.strip()]
    if not lines:
        raise InputError(EMPTY.format(path))
    if _begins_vectors(lines):
        return "vectors"
    columns = Counter(line.count("\t") + 1 for line in lines).most_common(1)[0][0]
    if columns == 3:
        scored = all(NUMBER.fullmatch(line.split("\t")[-1].strip()) for line in lines[1:] or lines)
        return "dictionary" if scored else "task"
    pairs = all(len(line.split()) == 2 for line in lines)
    return "dictionary" if columns == 2 or pairs else "texts"


def _begins_vectors(lines: list[str]) -> bool:
    """Whether lines have a header and rows of numbers, or such rows alone."""
    row = lines[1] if len(lines) > 1 and HEADER.fullmatch(lines[0].strip()) else lines[0]
    values = row.split()[1:]
    return len(values) >= LEAST_VALUES and all(map(NUMBER.fullmatch, values))


def require_file(path: Path) -> None:
    """Refuse what is not there, or no file."""
    if not path.is_file():
        reason = "is a folder; name the files in it" if path.is_dir() else "no such file; check the path"
        raise InputError(f"{path}: {reason}")


def described(path: Path, kind: str) -> Iterator[str]:
    """Read a file to its end; yield what it is, then what is strange about it; refuse what cannot be used."""
    require_file(path)
    first, *more = DESCRIBE[kind](path)
    yield f"{path}: {first}"
    yield from (f"  warning: {line}" for line in more)


def _vectors(path: Path) -> Iterator[str]:
    vectors = read_vectors(path, ROWS)
    count, width = vectors.matrix.shape
    more = " or more" if count == ROWS else ""
    case = "lower case" if lower_cased(vectors.words) else "upper and lower case"
    yield f"vectors, {count:,} words{more} of {width} dimensions, {case}"
    strange = sum(unicode_words(word) != [word] for word in vectors.words)
    if strange > count / 2:
        yield f"{strange:,} of these are not single words by Unicode's rules: texts will not contain them"


def _dictionary(path: Path) -> Iterator[str]:
    tabs = path.suffix == ".tsv" or has_tabs(path)
    pairs = [(entry.source, entry.target) for entry in (read_tsv(path) if tabs else read_muse(path))]
    sources, targets = ({pair[side] for pair in pairs} for side in (0, 1))
    yield f"dictionary, {len(pairs):,} pairs of {len(sources):,} and {len(targets):,} words"
    if not tabs:
        yield "words are separated by spaces, as in MUSE; your own dictionary needs a TAB between them"
    if phrases := sum(" " in source or " " in target for source, target in pairs):
        yield f"{phrases:,} pairs have several words on a side; only single words become anchors"
    if repeated := len(pairs) - len(set(pairs)):
        yield f"{repeated:,} pairs are there more than once"
    same = sum(source == target for source, target in pairs)
    if same > MANY_SAME * len(pairs):
        yield f"{same:,} pairs are the same word twice; are both languages there?"


def has_tabs(path: Path) -> bool:
    """Whether a dictionary has tabs between words, unlike MUSE's."""
    return any("\t" in line for _, line in islice(text_lines(path), LOOKED_AT))


def _texts(path: Path) -> Iterator[str]:
    documents = paragraphs = words = longest = 0
    between = True
    for _, line in text_lines(path):
        if line.strip():
            documents += between
            paragraphs += 1
            found = len(unicode_words(line))
            words, longest = words + found, max(longest, found)
        between = not line.strip()
    if not paragraphs:
        raise InputError(EMPTY.format(path))
    yield f"texts, {words:,} words and marks on {paragraphs:,} lines, documents: {documents:,}"
    if longest > LONG_LINE:
        yield f"a line has {longest:,} words and marks; a line should be a paragraph"
    if words < LITTLE_TEXT:
        yield "little text: vectors trained on it will be poor; a few hundred thousand words are a start"


def _task(path: Path) -> Iterator[str]:
    labels = {fields[1].strip() for _, line in text_lines(path) if len(fields := line.split("\t")) == 3}
    counts = Counter(row.label for row in tsv.read({"test": str(path)}, "test", {"labels": sorted(labels)}))
    shares = ", ".join(f"{label} {count:,}" for label, count in counts.most_common())
    yield f"labelled texts, {counts.total():,} texts of {len(counts)} labels: {shares}"
    if rare := [label for label, count in counts.items() if count <= FEW_LABELS]:
        yield f"labels with one text only: {', '.join(rare)}; are they spelled correctly?"


DESCRIBE = {"vectors": _vectors, "dictionary": _dictionary, "texts": _texts, "task": _task}
