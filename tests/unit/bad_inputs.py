"""Malformed inputs for every loader, each with what its error line must name and advise.

`PYTHONPATH=workflow/scripts python tests/unit/bad_inputs.py` writes docs/bad-input.md: every case with the
line that a user reads.
"""

from __future__ import annotations

import bz2
import copy
import gzip
import io
import json
import lzma
import math
import os
import pickle
import re
import sqlite3
import stat
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from xstitch.core.errors import InputError
from xstitch.core.files import load_npz
from xstitch.core.parquet import read_table, stream_column
from xstitch.encoders.corpus_words import read_words
from xstitch.plan.given import given_addresses, given_path
from xstitch.plan.overlays import lay
from xstitch.plan.provenance import update as update_provenance
from xstitch.plan.references import check_datasets, check_references
from xstitch.plan.settings import (
    describe_languages,
    load_languages,
    refuse_repeated_keys,
    validate,
)
from xstitch.results.ledger import LEDGER_COLUMNS, read_ledger
from xstitch.results.scores import Score, read_scores
from xstitch.results.tables import REFERENCE_COLUMNS, read_reference
from xstitch.sources.corpora import sample_corpus
from xstitch.sources.fetch.addresses import mirrored
from xstitch.sources.fetch.archives import extract_member
from xstitch.sources.fetch.datasets import COLUMNS, load_datasets
from xstitch.sources.fetch.lock import read_lock
from xstitch.sources.fetch.model_folders import import_model, model_files, model_folder
from xstitch.sources.images import read_batches
from xstitch.sources.lexica import lexicon_table, read_muse, read_tsv, trusted
from xstitch.sources.panlex import read_panlex_lite, read_panlex_meanings, read_swadesh
from xstitch.sources.parallel import read_moses
from xstitch.sources.segmentation import segmenter
from xstitch.sources.tasks import (
    conll,
    marc,
    panx,
    squad,
    tatoeba,
    taxi1500,
    tsv,
    tydiqa,
    universal_dependencies,
    wikiann,
    xnli,
)
from xstitch.spaces.anchors.lexicon import build_anchors
from xstitch.spaces.mapping import map_pair
from xstitch.spaces.settings.anchors import AnchorRules
from xstitch.spaces.similarity import join_scores
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.table import Vectors

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/bad-input.md"


class Case(NamedTuple):
    """One malformed input: how to make it and read it, and what the line must begin with and advise."""

    what: str
    files: dict[str, bytes | Callable[[Path], Any]]
    read: Callable[[], Any]
    place: str
    remedy: str

    def line(self, folder: Path) -> str:
        """Write the files to a folder, read them there and return the error line; nothing else may appear."""
        with chdir(folder):
            for name, content in self.files.items():
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                content(Path(name)) if callable(content) else Path(name).write_bytes(content)
            before = sorted(Path().rglob("*"))
            try:
                result = self.read()
                # Readers are generators, which raise errors only when iterated.
                leftover = list(result) if isinstance(result, Iterable) else result
            except InputError as problem:
                assert sorted(Path().rglob("*")) == before, "something was written"
                return str(problem)
        raise AssertionError(f"{self.what}: read as {leftover!r:.200}")


# Bytes of damaged files.


def zipped(members: dict[str, bytes], mode: int = 0) -> bytes:
    """Build a zip; `mode` is the Unix file type of every member."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return packed.getvalue()


def tarred(name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    """Build a tar of one member."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size, entry.type, entry.linkname = len(content), kind, link
        archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def encrypted(members: dict[str, bytes]) -> bytes:
    """Build a zip with members that claim to be encrypted."""
    content = bytearray(zipped(members))
    content[6] |= 1
    content[content.index(b"PK\1\2") + 8] |= 1
    return bytes(content)


def later(make: Callable[[], bytes]) -> Callable[[Path], int]:
    """Make a file when its case is tried: bombs are slow to pack, and all test processes import the cases."""
    return lambda path: path.write_bytes(make())


def pickled(value: Any) -> bytes:
    return pickle.dumps(value, protocol=4)


class Command:
    """The content of a malicious pickle: a command that runs when it is loaded."""

    def __reduce__(self) -> tuple:
        return os.system, ("touch harmed",)


class Keyed:
    """Is pickled like gensim's KeyedVectors, with any attributes."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__ = attributes


def keyed(**attributes: Any) -> bytes:
    """Build a .kv file of such an object, under the name of gensim's class."""
    plain = pickle.dumps(Keyed(**attributes), protocol=2)
    ours = f"c{Keyed.__module__}\nKeyed\n".encode()
    return plain.replace(ours, b"cgensim.models.keyedvectors\nKeyedVectors\n")


def fasttext_model(version: int = 12, pruned: int = -1) -> bytes:
    """Build the beginning of a fastText model, up to its dictionary."""
    arguments = struct.pack("<12id", 2, 5, 5, 1, 5, 1, 2, 2, 0, 0, 0, 100, 1e-4)
    counts = struct.pack("<3iq", 1, 1, 0, 10)
    return struct.pack("<2i", 793712314, version) + arguments + counts + struct.pack("<q", pruned) + b"so\0"


def npz(**arrays: np.ndarray) -> bytes:
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    return packed.getvalue()


def parquet(**columns: list) -> bytes:
    packed = io.BytesIO()
    pq.write_table(pa.table(columns), packed)
    return packed.getvalue()


def damaged(content: bytes) -> bytes:
    """Overwrite some bytes near the beginning."""
    return content[:200] + b"\xff" * 60 + content[260:]


def database(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with sqlite3.connect(path) as opened:
            for statement in statements:
                opened.execute(statement)
        opened.close()

    return make


LITE = (
    "CREATE TABLE lv (lv INTEGER, uid TEXT)",
    "CREATE TABLE ex (ex INTEGER, lv INTEGER, tt TEXT)",
    "CREATE TABLE dnx (mn INTEGER, ex INTEGER, ui INTEGER, uq INTEGER)",
    "INSERT INTO lv VALUES (1, 'eng-000'), (2, 'fao-000')",
)


def tensors(content: bytes = b"", size: int = 1) -> bytes:
    """Build a safetensors file that declares one tensor of four bytes and contains `content`."""
    header = json.dumps({"a": {"dtype": "F32", "shape": [size], "data_offsets": [0, 4]}}).encode()
    return struct.pack("<Q", len(header)) + header + content


VEC = b"2 2\nso 1 0\nwow 0 1\n"
LATIN1 = "für".encode("latin-1")
HUGE = b"a" * ((1 << 24) + 2)
HTML = b"<!DOCTYPE html><title>Error 404: not found</title>"
CUT_XZ = lzma.compress(b"Some text that is long enough. Really.\n" * 200)[:-40]


def vectors(what: str, content: bytes | Callable, place: str, remedy: str, name: str = "v.vec") -> Case:
    """A case of `read_vectors`; the error line begins with the file's name."""
    return Case(what, {name: content}, lambda: read_vectors(name), f"{name}{place}", remedy)


VECTORS = [
    vectors("an empty file", b"", ": the file is empty", "download it again"),
    vectors("a web page", HTML, ": a web page", "download the file again"),
    vectors("UTF-16", VEC.decode().encode("utf-16"), ": text in UTF-16", "iconv -f UTF-16"),
    vectors("text cut in its last row", VEC[:-3], ":3: 2 numbers expected", "download the file again"),
    vectors(
        "a row with one number too many",
        b"3 2\nso 0.1 0.2 0.3\nwow 0.1 0.2\noh 0.3 0.4\n",
        ":2: 2 numbers",
        "delete",
    ),
    vectors("letters instead of a number", b"2 2\nso 1 x1\nwow 0 1\n", ":2: ", "delete the line"),
    vectors("NaN", b"2 2\nso nan 0\nwow 0 1\n", ": 1 of 2 rows are not finite", "get others"),
    vectors("infinity", b"2 2\nso 1 inf\nwow 0 1\n", ": 1 of 2 rows are not finite", "get others"),
    vectors(
        "ISO-8859-1", b"2 2\n" + LATIN1 + b" 1 0\n" + LATIN1 + b"e 0 1\n", ": 2 of 2 rows", "UTF-8 first"
    ),
    vectors("a header that contradicts the rows", b"2 1\nso 1 0\nwow 0 1\n", ":1: the header", "correct"),
    vectors("a header of no dimensions", b"2 0\nso\nwow\n", ":1: a header of 0 dimensions", "correct it"),
    vectors("only a header", b"0 2\n", ": holds no word vectors", "right file"),
    vectors(
        "prose", b"Once upon a time\nthere was a word\n", ":1: not word vectors", "expected in every line"
    ),
    vectors("one line of 33 MB", b"a" * (33 << 20), ": a line of more than 32 MB", "right file"),
    vectors("gzip, cut", gzip.compress(VEC * 99)[:-9], ": damaged or cut short", "download", "v.vec.gz"),
    vectors("bzip2, cut", bz2.compress(VEC * 99)[:-9], ": damaged or cut short", "download", "v.vec.bz2"),
    vectors("xz, cut", lzma.compress(VEC * 99)[:-9], ": damaged or cut short", "download", "v.vec.xz"),
    vectors("a zip, cut", zipped({"a.vec": VEC})[:-9], ": damaged or cut short", "download", "v.zip"),
    vectors(
        "a zip of two files", zipped({"a": VEC, "b": VEC}), ": should have one file", "unpack it", "v.zip"
    ),
    vectors("a zip with ../", zipped({"../a.vec": VEC}), ": member '../a.vec' leads", "elsewhere", "v.zip"),
    vectors("a zip with /", zipped({"/a.vec": VEC}), ": member '/a.vec' leads", "elsewhere", "v.zip"),
    vectors(
        "a link in a zip", zipped({"a": VEC}, stat.S_IFLNK), ": member 'a' is a link", "refused", "v.zip"
    ),
    vectors("an encrypted zip", encrypted({"a.vec": VEC}), ": 'a.vec' is encrypted", "unpack it", "v.zip"),
    vectors(
        "a zip bomb",
        later(lambda: zipped({"a.vec": b"a" * (64 << 20)})),
        "/a.vec: a line of more than 32 MB",
        "right file",
        "v.zip",
    ),
    vectors(
        "word2vec, cut", b"2 2\nso " + bytes(8) + b"wow " + bytes(3), ": cut short in row 2", "again", "v.bin"
    ),
    vectors(
        "word2vec of 0 dimensions", b"2 0\nso \0\1\2", ": its header names no usable", "another", "v.bin"
    ),
    vectors(
        "fastText, cut", fasttext_model(), ": cut short or not a fastText model", "get it again", "v.bin"
    ),
    vectors("fastText of a newer format", fasttext_model(99), ": fastText format 99", "export", "v.bin"),
    vectors("fastText, quantised", fasttext_model(pruned=0), ": a quantised", "take the .bin", "v.ftz"),
    vectors("a binary file", b"so\0\1\2\n" * 9, ": a binary file", "export its vectors", "v.bin"),
    vectors("a pickle that runs a command", pickled(Command()), ": not a pickle of vectors", "save", "v.kv"),
    vectors("a pickle without words", pickled([1, 2]), ": a pickle without a list", "save it with", "v.kv"),
    vectors(
        "KeyedVectors without their .npy",
        keyed(index_to_key=["so"], **{"__numpys": ["vectors"]}),
        ": its vectors are in v.kv.vectors.npy",
        "put that file there",
        "v.kv",
    ),
    vectors("KeyedVectors, cut", keyed(index_to_key=["so"])[:-9], ": not a pickle of", "save", "v.kv"),
    vectors(
        "KeyedVectors without a matrix", keyed(index_to_key=["so"]), ": holds no 'vectors'", "save", "v.kv"
    ),
    vectors(
        "KeyedVectors that name no list of files",
        keyed(index_to_key=["so"], **{"__numpys": 5}),
        ": holds no 'vectors'",
        "save",
        "v.kv",
    ),
    Case(
        "KeyedVectors with a pickled .npy",
        {
            "v.kv": keyed(index_to_key=["so"], **{"__numpys": ["vectors"]}),
            "v.kv.vectors.npy": pickled(Command()),
        },
        lambda: read_vectors("v.kv"),
        "v.kv: vectors cannot be read",
        "get it again",
    ),
    vectors("commas in numbers", b"2 2\nso 1,5 0\nwow 0 1\n", ":2: not a number: '1,5'", "correct or delete"),
    vectors("CSV", b"so,1,0\nwow,0,1\n", ":1: not word vectors", "expected in every line"),
    vectors("JSON", b'{"so": [1, 0]}\n', ":1: not word vectors", "expected in every line"),
    vectors(
        "a compressed web page", gzip.compress(HTML), ": a web page", "download the file again", "v.vec.gz"
    ),
    vectors(
        "gzip with a wrong checksum",
        gzip.compress(VEC)[:-8] + bytes(8),
        ": damaged or cut short",
        "download",
        "v.vec.gz",
    ),
    vectors("an empty zip", zipped({}), ": should have one file", "unpack it", "v.zip"),
    vectors("a tar", tarred("a.vec", VEC), ": a binary file of no known format", "export", "v.tar"),
    vectors("safetensors", tensors(bytes(4)), ": a binary file of no known", "export", "v.safetensors"),
    Case("no such file", {}, lambda: read_vectors("no.vec"), "no.vec: No such file", "check the path"),
    Case("a folder", {"d/x": b""}, lambda: read_vectors("d"), "d: Is a directory", "check the path"),
    Case(
        "a limit of no words",
        {"v.vec": VEC},
        lambda: read_vectors("v.vec", 0),
        "v.vec: a limit of 0",
        "give 1",
    ),
]

ARRAYS = [
    Case(
        "npz, cut",
        {"a.npz": npz(a=np.ones(9))[:-30]},
        lambda: load_npz("a.npz"),
        "a.npz: not an npz",
        "again",
    ),
    Case(
        "npz with a pickle",
        {"a.npz": npz(a=np.array([{}], dtype=object))},
        lambda: load_npz("a.npz"),
        "a.npz: not an npz file of plain arrays",
        "make it again",
    ),
    Case(
        "npz of other arrays",
        {"a.npz": npz(matrix=np.ones((1, 2)))},
        lambda: Vectors.load("a.npz"),
        "a.npz: word vectors have 'matrix' and 'words'",
        "make it again",
    ),
    Case(
        "npz with fewer words than vectors",
        {"a.npz": npz(matrix=np.ones((2, 2)), words=np.frombuffer(b"so", np.uint8))},
        lambda: Vectors.load("a.npz"),
        "a.npz: damaged word vectors (1 words but 2 vectors)",
        "make the file again",
    ),
    Case(
        "npz of text instead of vectors",
        {"a.npz": npz(matrix=np.array([["x"]]), words=np.frombuffer(b"so", np.uint8))},
        lambda: Vectors.load("a.npz"),
        "a.npz: damaged word vectors (not a matrix of floats)",
        "make the file again",
    ),
    Case(
        "a pickle called npz",
        {"a.npz": pickled(Command())},
        lambda: load_npz("a.npz"),
        "a.npz: not an npz file of plain arrays",
        "make it again",
    ),
    Case(
        "Parquet, damaged within",
        {"a.parquet": damaged(parquet(text=[f"word {i}" for i in range(5000)]))},
        lambda: read_table("a.parquet"),
        "a.parquet: not a complete Parquet file",
        "make it again",
    ),
    Case(
        "Parquet, cut",
        {"a.parquet": parquet(a=[1])[:-9]},
        lambda: read_table("a.parquet"),
        "a.parquet: ",
        "again",
    ),
    Case(
        "Parquet without a column",
        {"a.parquet": parquet(a=[1])},
        lambda: stream_column("a.parquet", "text"),
        "a.parquet: not a complete Parquet file with the columns text",
        "make it again",
    ),
    Case(
        "a corpus of another table",
        {"a.parquet": parquet(a=[1])},
        lambda: read_words(Path("a.parquet"), 1, 9),
        "a.parquet: not a complete Parquet file with the columns document, paragraph, text",
        "make it again",
    ),
    Case(
        "scores of other columns",
        {"s.tsv": b"recipe\ttask\n"},
        lambda: read_scores("s.tsv"),
        "s.tsv:1: a score file has the columns",
        "make it again",
    ),
    Case(
        "a score that is not a number",
        {"s.tsv": ("\t".join(Score._fields) + "\nlr\tt\ta\tb\ttest\tf1\t1\thigh\t9\tmini\n").encode()},
        lambda: read_scores("s.tsv"),
        "s.tsv:2: not a score",
        "make the file again",
    ),
    Case(
        "a malformed record of tables",
        {"p.json": b'{"tables": []}'},
        lambda: update_provenance(Path("p.json"), {}, {}),
        "p.json: not a record of tables",
        "delete it and run again",
    ),
    Case(
        "a published value that is not a number",
        {"r.tsv": ("\t".join(REFERENCE_COLUMNS) + "\n2\tLR\tde\tf1\t.5x\t\t\n").encode()},
        lambda: read_reference("r.tsv", "2"),
        "r.tsv:2: the value '.5x' is not a number",
        "correct it",
    ),
    Case(
        "a setting without a source",
        {"s.tsv": ("\t".join(LEDGER_COLUMNS) + "\nall\trecipes.lr.k\t5\tsomewhere\t\n").encode()},
        lambda: read_ledger("s.tsv"),
        "s.tsv:2: the source 'somewhere' is not allowed",
        "legal: paper SECTION",
    ),
]


def lexicon(what: str, content: bytes, place: str, remedy: str, read: Callable = read_muse) -> Case:
    """A case of a lexicon in one text file."""
    return Case(what, {"l.txt": content}, lambda: read("l.txt"), f"l.txt{place}", remedy)


def lite(what: str, content: bytes | Callable, place: str, remedy: str) -> Case:
    """A case of PanLex Lite."""
    return Case(
        what,
        {"db.sqlite": content},
        lambda: read_panlex_lite("db.sqlite", "eng-000", "fao-000"),
        place,
        remedy,
    )


def meanings(what: str, content: bytes, place: str, remedy: str) -> Case:
    """A case of the hub's files of meanings."""
    files = {"a.tsv": content, "b.tsv": b"meaning\ttxt\tlangvar_uid\n1\tso\tfao-000\n"}
    return Case(
        what, files, lambda: read_panlex_meanings(["a.tsv"], ["b.tsv"], "eng-000", "fao-000"), place, remedy
    )


def swadesh(what: str, members: dict[str, bytes] | bytes, place: str, remedy: str) -> Case:
    """A case of PanLex's Swadesh lists."""
    content = members if isinstance(members, bytes) else zipped(members)
    return Case(what, {"s.zip": content}, lambda: read_swadesh("s.zip", "eng-000", "fao-000"), place, remedy)


ENGLISH = "panlex_swadesh/swadesh110/eng-000.txt"
LEXICA = [
    lexicon("MUSE: empty", b"\n\n", ": holds no pair of words", "right file"),
    lexicon(
        "MUSE: three words",
        b"so so\nso wow wow\n",
        ":2: a MUSE dictionary has two words",
        "correct or delete",
    ),
    lexicon("MUSE: one word", b"so so\nso\n", ":2: a MUSE dictionary has two words", "correct or delete"),
    lexicon("MUSE: ISO-8859-1", b"so so\n" + LATIN1 + b" so\n", ":2: not UTF-8 text", "convert the file"),
    lexicon("MUSE: a line of 16 MB", HUGE, ":1: a line of more than 16 MB", "right file"),
    lexicon("MUSE: a web page", HTML + b"\n", ":1: a MUSE dictionary has two", "correct or delete"),
    Case("MUSE: no such file", {}, lambda: read_muse("no.txt"), "no.txt: cannot be read", "check the path"),
    lexicon("own: empty", b"source\ttarget\n", ": holds no pair", "right file", read_tsv),
    lexicon("own: one column", b"so wow\n", ":1: 'source TAB target", "correct or delete", read_tsv),
    lexicon("own: four columns", b"a\tb\t1\t2\n", ":1: 'source TAB target", "correct or delete", read_tsv),
    lexicon("own: a score of NaN", b"a\tb\tnan\n", ":1: the score 'nan'", "correct it", read_tsv),
    lexicon("own: UTF-16", "a\tb\n".encode("utf-16"), ":1: not UTF-8 text", "convert", read_tsv),
    lite("PanLex Lite: not a database", b"so wow\n" * 99, "db.sqlite: not a PanLex Lite", "fetch it again"),
    lite("PanLex Lite: no tables", database(), "db.sqlite: not a PanLex Lite", "fetch it again"),
    lite("PanLex Lite: no variety", database(*LITE[:3]), "db.sqlite: PanLex has no", "languages.tsv"),
    lite(
        "PanLex Lite: no quality",
        database(
            *LITE,
            "INSERT INTO ex VALUES (1, 1, 'a'), (2, 2, 'b')",
            "INSERT INTO dnx VALUES (1, 1, 1, NULL), (1, 2, 1, NULL)",
        ),
        "db.sqlite: a pair without text or quality",
        "fetch the database again",
    ),
    meanings("PanLex meanings: empty", b"", "a.tsv: not a file of meanings", "fetch it again"),
    meanings(
        "PanLex meanings: other columns", b"a\tb\n1\t2\n", "a.tsv: not a file of meanings", "fetch it again"
    ),
    meanings(
        "PanLex meanings: a meaning that is not a number",
        b"meaning\ttxt\tlangvar_uid\nx\tso\teng-000\n",
        "a.tsv: not a file of meanings",
        "fetch it again",
    ),
    meanings(
        "PanLex meanings: another language",
        b"meaning\ttxt\tlangvar_uid\n1\tso\tdeu-000\n",
        "a.tsv: has no variety 'eng-000', but deu-000",
        "languages.tsv",
    ),
    meanings(
        "PanLex meanings: Parquet, cut",
        parquet(a=[1])[:-9],
        "a.tsv: not a file of meanings",
        "fetch it again",
    ),
    swadesh("Swadesh: not a zip", b"so\n", "s.zip: cannot be unpacked", "download it again"),
    swadesh("Swadesh: no list", {}, "s.zip: has no list for 'eng-000'", "languages.tsv"),
    swadesh("Swadesh: a short list", {ENGLISH: b"I\n"}, f"s.zip: {ENGLISH}: has 1 lines, not 110", "again"),
    swadesh("Swadesh: ISO-8859-1", {ENGLISH: LATIN1}, f"s.zip: {ENGLISH}: not UTF-8 text", "again"),
    swadesh(
        "Swadesh: a bomb", {ENGLISH: b"\n" * (2 << 20)}, "s.zip: a list of eng has more than", "elsewhere"
    ),
    Case(
        "a min_score above all scores",
        {},
        lambda: trusted(lexicon_table([("a", "b", 1.0)]), 2),
        "lexica: min_score 2 leaves no pair; the best score is 1",
        "lower it",
    ),
]

CORPUS = {"sentences": 999, "share": 1.0, "min_tokens": 1, "min_sentences": 1}


def corpus(
    what: str, content: bytes | Callable, place: str, remedy: str, name: str = "c.txt.xz", **settings: int
) -> Case:
    """A case of plain text."""

    def read() -> None:
        segment, used = segmenter("unicode", "qaa"), CORPUS | settings
        sample_corpus(Path(name), segment, used, 1, Path("parts"), Path("out.parquet"))

    return Case(what, {name: content}, read, f"{name}{place}", remedy)


CORPORA = [
    corpus("xz, cut", CUT_XZ, ": not a complete .xz or .gz file", "remove it"),
    corpus("xz of nothing", lzma.compress(b"\n\n"), ": no paragraph in the sample", "take more text"),
    corpus("an xz bomb", later(lambda: lzma.compress(HUGE)), ":1: a line of more than", "right file"),
    corpus("an empty file", b"", ": no paragraph in the sample", "take more text", "c.txt"),
    corpus(
        "ISO-8859-1 after plain letters", b"a b c.\n" * 900 + LATIN1, ":901: not UTF-8", "convert", "c.txt"
    ),
    corpus("ISO-8859-1 in xz", lzma.compress(b"a b c.\n" + LATIN1), ":2: not UTF-8 text", "convert"),
    corpus(
        "UTF-16",
        "So.\n".encode("utf-16"),
        ": neither an .xz or .gz file nor plain UTF-8",
        "remove it",
        "c.txt",
    ),
    corpus(
        "gzip, cut",
        gzip.compress(b"a b.\n")[:-4],
        ": not a complete .xz or .gz file",
        "remove it",
        "c.txt.gz",
    ),
    corpus("a file of zeros", bytes(9999), ": neither an .xz or .gz file nor plain", "remove it", "c.txt"),
    corpus(
        "a head with too few sentences",
        b"a b c.\n" * 20_000,
        ": only 14 of 999 sentences in its first 0.0001 MB",
        "raise bytes_per_sentence",
        "c.txt",
        head=100,
    ),
    corpus("ISO-8859-1", LATIN1 * 9, ": neither an .xz or .gz file nor plain UTF-8", "remove it", "c.txt"),
]

MARC = {"classes": 3, "fields": ["review_title", "review_body"]}
REVIEW = {"review_id": "a", "stars": "1", "review_title": "t", "review_body": "b"}
TSV = {"labels": ["good", "bad"]}
QUESTION = {"id": "1", "question": "Who?", "answers": [{"answer_start": 0, "text": "Eva"}]}


def task(what: str, read: Callable[[str], Any], content: bytes | str, place: str, remedy: str) -> Case:
    """A case of a task's file; the error line begins with its name."""
    content = content.encode() if isinstance(content, str) else content
    return Case(what, {"t": content}, lambda: read("t"), f"t{place}", remedy)


def article(**changes: Any) -> str:
    """Build a SQuAD file with one question on a text about Eva."""
    question = {**QUESTION, **changes}
    return json.dumps({"data": [{"paragraphs": [{"context": "Eva came.", "qas": [question]}]}]})


def review(**changes: Any) -> str:
    return json.dumps({**REVIEW, **changes}) + "\n"


def read_reviews(path: str) -> Any:
    return marc.read({"train": path}, "train", MARC)


def read_own(path: str) -> Any:
    return tsv.read({"train": path}, "train", TSV)


def verses(what: str, files: dict[str, bytes], place: str, remedy: str) -> Case:
    """A case of labels joined to a Bible."""
    good = {"labels": b"40005003\tFaith\tv\n", "refs": b"MAT 5:3\n", "bible": b"Blessed\n"}
    return Case(
        what, {**good, **files}, lambda: taxi1500.join_verses("labels", "refs", "bible"), place, remedy
    )


def similarity(what: str, pair: bytes, score: bytes, place: str, remedy: str) -> Case:
    """A case of a pair of terms in one file and its score in another."""
    return Case(what, {"p": pair + b"\n", "k": score + b"\n"}, lambda: join_scores("p", "k"), place, remedy)


def pairs_of(what: str, first: bytes, second: bytes, place: str, remedy: str) -> Case:
    """A case of two files with corresponding lines."""
    return Case(what, {"a": first, "b": second}, lambda: tatoeba.read_tatoeba("a", "b"), place, remedy)


TASKS = [
    task("Taxi1500: empty", taxi1500.read_labelled, "", ": holds no labelled verse", "right file"),
    task(
        "Taxi1500: two columns",
        taxi1500.read_labelled,
        "1\tFaith\n",
        ":1: 'id TAB label",
        "correct or delete",
    ),
    task(
        "Taxi1500: an unknown label", taxi1500.read_labelled, "1\tHope\tv\n", ":1: label 'Hope'", "correct it"
    ),
    task("Taxi1500: ISO-8859-1", taxi1500.read_labelled, b"1\tSin\t" + LATIN1, ":1: not UTF-8", "convert"),
    verses(
        "Taxi1500: a Bible of another length",
        {"bible": b"a\nb\n"},
        "bible: has 2 lines, but refs has 1",
        "again",
    ),
    verses("Taxi1500: an unknown verse", {"refs": b"MAT 5:4\n"}, "labels:1: verse '40005003'", "correct it"),
    verses(
        "Taxi1500: none of the labelled verses",
        {"bible": b"\n"},
        "bible: holds no labelled verse",
        "right file",
    ),
    task("MARC: empty", read_reviews, "", ": holds no review", "right file"),
    task("MARC: cut", read_reviews, review() + review()[:-9], ":2: not valid JSON", "fetch the file again"),
    task("MARC: six stars", read_reviews, review(stars="6"), ":1: stars '6'", "correct it"),
    task(
        "MARC: no text",
        read_reviews,
        review(review_body=None),
        ":1: no text under 'review_body'",
        "is it a file",
    ),
    task("MARC: a list", read_reviews, "[1]\n", ":1: a JSON object expected, not list", "complete"),
    task("MARC: nested too deeply", read_reviews, "[" * 100_000, ":1: ", "delete it"),
    task(
        "MARC: a lone surrogate",
        read_reviews,
        '{"stars": "\\ud800"}',
        ":1: unusable JSON",
        "correct or delete",
    ),
    task("own: empty", read_own, "id\tlabel\ttext\n", ": holds no text", "right file"),
    task("own: two columns", read_own, "1\tgood\n", ":1: 'id TAB label TAB text'", "correct"),
    task("own: an unknown label", read_own, "1\tgreat\tt\n", ":1: label 'great' is not one of", "correct it"),
    task(
        "own: a repeated id",
        read_own,
        "1\tgood\tt\n1\tbad\tu\n",
        ":2: id '1' is already on line 1",
        "rename one",
    ),
    task("XNLI: empty", xnli.read_xnli, "", ": holds no labelled pair", "right file"),
    task("XNLI: two columns", xnli.read_xnli, "a\tb\n", ":1: 3 columns expected, not 2", "correct"),
    task("XNLI: an unknown label", xnli.read_xnli, "a\tb\tmaybe\n", ":1: label 'maybe'", "correct it"),
    task("XNLI: JSON, cut", xnli.read_xnli, '{"gold_label": "neu', ":1: not valid JSON", "fetch"),
    task(
        "XNLI: another language",
        lambda path: xnli.read_xnli(path, "sw"),
        "language\tgold_label\tsentence1\tsentence2\nde\tneutral\ta\tb\n",
        ": holds no labelled pair in language 'sw'",
        "right file",
    ),
    task("SQuAD: empty", squad.read_squad, "", ":1: not valid JSON", "fetch"),
    task("SQuAD: cut", squad.read_squad, article()[:-9], ":1: not valid JSON", "fetch the file again"),
    task("SQuAD: no data", squad.read_squad, "{}", ":1: no 'data' with a JSON list", "is expected"),
    task(
        "SQuAD: without answers", squad.read_squad, article(answers=[]), ":1: article 1, para", "is expected"
    ),
    task(
        "SQuAD: an answer outside its text",
        squad.read_squad,
        article(answers=[{"answer_start": 90, "text": "Eva"}]),
        ":1: article 1, paragraph 1, question '1': the answer at characters 90",
        "correct answer_start",
    ),
    task(
        "SQuAD: an answer at another position",
        squad.read_squad,
        article(answers=[{"answer_start": 1, "text": "Eva"}]),
        ":1: article 1, paragraph 1, question '1': the answer is 'Eva', but",
        "counts characters",
    ),
    task(
        "TyDiQA: another language",
        lambda path: tydiqa.read_tydiqa(path, "sw"),
        article(),
        ": holds no question whose id begins with 'swahili-'",
        "right file",
    ),
    task(
        "PAN-X: spaces instead of tabs",
        lambda p: panx.read_panx(p, "de"),
        "Eva O\n",
        ":1: 'token TAB tag'",
        "correct",
    ),
    task(
        "PAN-X: an unknown tag",
        lambda p: panx.read_panx(p, "de"),
        "Eva\tB-ART\n",
        ":1: tag 'B-ART'",
        "correct",
    ),
    task("PAN-X: empty", lambda p: panx.read_panx(p, "de"), "\n\n", ": holds no sentence", "right file"),
    task(
        "WikiANN: another language",
        lambda p: wikiann.read_wikiann(p, "de"),
        "fr:Eva\tB-PER\n",
        ":1: 'fr:Eva' lacks the prefix 'de:'",
        "another language?",
    ),
    task("CoNLL-2002: two columns", conll.read_conll2002, "Eva O\n", ":1: 3 columns expected", "correct"),
    task("CoNLL-2002: an unknown tag", conll.read_conll2002, "Eva NP B-ART\n", ":1: tag 'B-ART'", "correct"),
    task(
        "CoNLL-2002: two encodings",
        conll.read_conll2002,
        LATIN1.strip() + b" N O\n" + LATIN1.strip().decode("iso-8859-1").encode() + b" N O\n",
        ":2: UTF-8 in a file that is not UTF-8 throughout",
        "convert",
    ),
    task(
        "CoNLL-2003: UTF-16",
        conll.read_conll2003,
        "a b c O\n".encode("utf-16"),
        ":1: neither UTF-8",
        "convert",
    ),
    task(
        "CoNLL-2003: empty", conll.read_conll2003, "-DOCSTART- -X- O O\n", ": holds no sentence", "right file"
    ),
    task(
        "UD: nine columns",
        universal_dependencies.read_conllu,
        "1\tEva" + "\t_" * 7,
        ":1: 10 columns",
        "correct",
    ),
    task(
        "UD: an unknown tag",
        universal_dependencies.read_conllu,
        "1\tEva\t_\tNAME" + "\t_" * 6,
        ":1: UPOS",
        "correct",
    ),
    task(
        "UD: an ID that is not a number",
        universal_dependencies.read_conllu,
        "x\tEva\t_\tX" + "\t_" * 6,
        ":1: ID 'x'",
        "correct",
    ),
    pairs_of("Tatoeba: empty", b"", b"", "a: holds no sentence", "right file"),
    pairs_of("Tatoeba: a missing line", b"a\n", b"b\nc\n", "a:2: no such line, but b has one", "fetch both"),
    pairs_of("Tatoeba: an empty line", b"a\n\n", b"b\nc\n", "a:2: an empty line", "fetch both"),
    similarity("similarity: one term", b"a", b"1", "p:1: 'term TAB term TAB score'", "correct"),
    similarity("similarity: not a number", b"a\tb", b"much", "p:1: the score 'much'", "correct it"),
    similarity("similarity: infinity", b"a\tb", b"inf", "p:1: the score 'inf'", "correct it"),
    Case(
        "SemEval: a missing score",
        {"p": b"a\tb\nc\td\n", "k": b"1\n"},
        lambda: join_scores("p", "k"),
        "k: 1 scores, but p has 2 pairs",
        "fetch both",
    ),
    Case(
        "SemEval: ISO-8859-1",
        {"p": LATIN1 + b"\tb\n", "k": b"1\n"},
        lambda: join_scores("p", "k"),
        "p:1: not UTF-8 text",
        "convert the file",
    ),
    Case(
        "SemEval: empty",
        {"p": b"", "k": b""},
        lambda: join_scores("p", "k"),
        "p: holds no pair",
        "right file",
    ),
]


def moses(what: str, files: dict[str, bytes], place: str, remedy: str) -> Case:
    """A case of parallel texts: a zip, or two files."""
    paths = [Path(name) for name in files]
    return Case(what, files, lambda: read_moses(paths, "de", "en"), place, remedy)


PARALLEL = [
    moses("not a zip", {"p.zip": b"so"}, "p.zip: not a zip archive", "give two plain files"),
    moses(
        "a zip, cut", {"p.zip": zipped({"p.de": b"a\n"})[:-9]}, "p.zip: not a zip archive", "two plain files"
    ),
    moses(
        "a zip of one side", {"p.zip": zipped({"p.de": b"a\n"})}, "p.zip: one member *.en", "two plain files"
    ),
    moses(
        "an encrypted zip",
        {"p.zip": encrypted({"p.de": b"a\n", "p.en": b"b\n"})},
        "p.zip: cannot be read",
        "download it again",
    ),
    moses(
        "a missing line",
        {"p.de": b"a\n", "p.en": b"b\nc\n"},
        "p.de:2: no such line, but p.en has one",
        "fetch both",
    ),
    moses("ISO-8859-1", {"p.de": LATIN1, "p.en": b"for"}, "p.de:1: not UTF-8 text", "convert the file"),
    moses(
        "a line of 16 MB", {"p.de": HUGE, "p.en": b"b\n"}, "p.de:1: a line of more than 16 MB", "right file"
    ),
]


def batch(what: str, content: bytes, place: str) -> Case:
    """A case of CIFAR-10's batches."""
    return Case(what, {"b": content}, lambda: read_batches(["b"]), f"b: {place}", "download it again")


IMAGES = [
    batch("an empty file", b"", "not a CIFAR-10 batch"),
    batch("a pickle that runs a command", pickled(Command()), "not a CIFAR-10 batch"),
    batch("a pickle, cut", pickled({b"data": b"x" * 99})[:-9], "not a CIFAR-10 batch"),
    batch("a batch without images", pickled({b"labels": [1]}), "a CIFAR-10 batch has 3072 bytes"),
]

MODEL = {
    "config.json": b'{"model_type": "bert"}',
    "tokenizer.json": Tokenizer(WordLevel({"a": 0})).to_str().encode(),
    "model.safetensors": tensors(bytes(4)),
}


def model(what: str, changes: dict[str, bytes | None], place: str, remedy: str) -> Case:
    """A case of a transformers folder: files that differ from a complete one, None for missing files."""
    files = {f"m/{n}": c for n, c in {**MODEL, **changes}.items() if c is not None}
    return Case(what, files, lambda: import_model(model_files(Path("m")), Path("out")), place, remedy)


MODELS = [
    model("no config.json", {"config.json": None}, "m: has no config.json", "name a folder"),
    model("config.json, cut", {"config.json": b'{"a"'}, "m/config.json: is refused", "must have settings"),
    model(
        "a config.json that names code",
        {"config.json": b'{"auto_map": {"AutoModel": "evil.Model"}}'},
        "m/config.json: is refused (auto_map)",
        "name no code",
    ),
    model("no tokenizer.json", {"tokenizer.json": None}, "m: has no tokenizer.json", "save it there"),
    model("tokenizer.json, cut", {"tokenizer.json": b"{"}, "m/tokenizer.json: not readable as JSON", "again"),
    model(
        "pickled weights only",
        {"model.safetensors": None, "pytorch_model.bin": pickled(Command())},
        "m: has no model.safetensors, only pickled weights",
        "safe_serialization=True",
    ),
    model(
        "a pickle called safetensors",
        {"model.safetensors": pickled(Command())},
        "m/model.safetensors: the .safetensors file is truncated or corrupt",
        "copy it there again",
    ),
    model("safetensors, cut", {"model.safetensors": tensors(bytes(2))}, "m/model.safetensors: ", "again"),
    model("safetensors, empty", {"model.safetensors": b""}, "m/model.safetensors: ", "again"),
    model(
        "safetensors of a wrong shape",
        {"model.safetensors": tensors(bytes(4), size=100)},
        "m/model.safetensors: the .safetensors file is truncated or corrupt",
        "copy it there again",
    ),
    model(
        "safetensors without tensors",
        {"model.safetensors": struct.pack("<Q", 2) + b"{}"},
        "m/model.safetensors: the .safetensors file is truncated or corrupt (it holds no tensor)",
        "copy it there again",
    ),
    model(
        "a Git LFS pointer",
        {"model.safetensors": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4\n"},
        "m/model.safetensors: the .safetensors file is truncated or corrupt",
        "copy it there again",
    ),
    model("config.json, a list", {"config.json": b"[1]"}, "m/config.json: is refused", "must have settings"),
    model("an empty config.json", {"config.json": b"{}"}, "m/config.json: names no model_type", "take"),
    model(
        "a tokenizer_config.json that names code",
        {"tokenizer_config.json": b'{"auto_map": {"AutoTokenizer": ["evil.Tokenizer", null]}}'},
        "m/tokenizer_config.json: is refused (auto_map)",
        "name no code",
    ),
    model(
        "tokenizer.json of something else",
        {"tokenizer.json": b'{"a": 1}'},
        "m/tokenizer.json: not a tokenizer",
        "AutoTokenizer",
    ),
    Case(
        "no folder",
        {},
        lambda: model_folder({"folder": "no"}, "encoders.mine"),
        "config: encoders.mine.folder: no is not a folder",
        "name one",
    ),
    Case(
        "no package",
        {},
        lambda: model_folder({"package": "no_such", "folder": "x"}, "encoders.mine"),
        "config: encoders.mine.package: no_such is not installed",
        "pip install",
    ),
]


def archive(
    what: str, content: bytes | Callable, place: str, remedy: str, name: str = "a.tar", member: str = "a"
) -> Case:
    """A case of unpacking a member of an archive."""
    return Case(
        what,
        {name: content},
        lambda: extract_member(Path(name), member, Path("out")),
        f"{name}{place}",
        remedy,
    )


ARCHIVES = [
    archive(
        "a tar with ../", tarred("../a", b"x"), ": member '../a' leads outside", "elsewhere", member="../a"
    ),
    archive("a tar with /", tarred("/a", b"x"), ": member '/a' leads outside", "elsewhere", member="/a"),
    archive(
        "a link in a tar",
        tarred("a", kind=tarfile.SYMTYPE, link="/etc"),
        ": member 'a' is a link",
        "elsewhere",
    ),
    archive(
        "a hard link in a tar",
        tarred("a", kind=tarfile.LNKTYPE, link="b"),
        ": member 'a' is a link",
        "elsewhere",
    ),
    archive(
        "a device in a tar",
        tarred("a", kind=tarfile.CHRTYPE),
        ": member 'a' is a link or device",
        "elsewhere",
    ),
    archive("a tar, cut", tarred("a", b"x" * 9999)[:5000], ": ", "again"),
    archive(
        "a pipe in a tar", tarred("a", kind=tarfile.FIFOTYPE), ": member 'a' is a link or dev", "elsewhere"
    ),
    archive(
        "a tar bomb",
        later(lambda: gzip.compress(tarred("a", bytes(65 << 20)))),
        ": unpacks to more than 67 MB",
        "elsewhere",
        "a.tar.gz",
    ),
    archive(
        "a compressed tar, cut",
        lzma.compress(tarred("a", bytes(range(256)) * 99))[:-60],
        ": cannot be unpacked",
        "download it again",
        "a.tar.xz",
    ),
    archive(
        "a zip with backslashes",
        zipped({"..\\a": b"x"}),
        r": member '..\\a' leads",
        "elsewhere",
        "a.zip",
        "..\\a",
    ),
    archive("an empty zip", zipped({}), ": has no member 'a'", "the closest are none", "a.zip"),
    archive("not an archive", b"hello", ": cannot be unpacked", "download it again"),
    archive(
        "a zip with ../",
        zipped({"../a": b"x"}),
        ": member '../a' leads outside",
        "elsewhere",
        "a.zip",
        "../a",
    ),
    archive(
        "a zip with a drive",
        zipped({"c:/a": b"x"}),
        ": member 'c:/a' leads outside",
        "elsewhere",
        "a.zip",
        "c:/a",
    ),
    archive(
        "a link in a zip", zipped({"a": b"/etc"}, stat.S_IFLNK), ": member 'a' is a link", "else", "a.zip"
    ),
    archive(
        "a zip bomb",
        later(lambda: zipped({"a": bytes(65 << 20)})),
        ": unpacks to more than 67 MB",
        "elsewhere",
        "a.zip",
    ),
    archive("an encrypted zip", encrypted({"a": b"x"}), ": cannot be unpacked", "again", "a.zip"),
    Case(
        "no such member",
        {"a.zip": zipped({"data/one.txt": b"x"})},
        lambda: extract_member(Path("a.zip"), "data/on.txt", Path("out")),
        "a.zip: has no member 'data/on.txt'",
        "the closest are data/one.txt",
    ),
]


def check_config(overlay: dict[str, Any]) -> None:
    """Do what the workflow does with a configuration before anything runs."""
    config = changed(default_config(), overlay)
    config = validate(config)
    listed = load_languages(ROOT / "config/languages.tsv")
    check_references(config, describe_languages(listed, config["languages"]))
    check_datasets(config, load_datasets(ROOT / "config/datasets.tsv"))
    given_addresses(config)


@cache
def default_config() -> dict[str, Any]:
    """The shipped configuration."""
    return lay(ROOT / "config/config.yaml", [], {}, ROOT / "config")


def changed(config: Any, overlay: Any) -> Any:
    """Merge an overlay into the configuration, as Snakemake does; a value of `...` removes a key."""
    if not isinstance(overlay, dict) or not isinstance(config, dict):
        return copy.deepcopy(overlay)
    merged = {key: value for key, value in config.items() if overlay.get(key) is not ...}
    for key, value in overlay.items():
        if value is not ...:
            merged[key] = changed(config.get(key), value)
    return merged


def config(what: str, overlay: dict[str, Any], place: str, remedy: str) -> Case:
    """A case of the configuration."""
    return Case(what, {}, lambda: check_config(overlay), f"config: {place}", remedy)


RR = "rr-softmax"
CONFIG = [
    Case(
        "a section twice",
        {"own.yaml": b"tasks: {}\nseed: 1\ntasks: {}\n"},
        lambda: refuse_repeated_keys("own.yaml"),
        "own.yaml:3: the key 'tasks' is already on line 1",
        "join the two",
    ),
    config("a misspelt key", {"sedes": [1]}, "sedes: unknown key", "did you mean 'seeds'?"),
    config(
        "a misspelt key of a recipe",
        {"recipes": {RR: {"anchor": "full"}}},
        "recipes.rr-softmax.anchor",
        "did you",
    ),
    config("a missing key", {"seed": ...}, "top level: the key 'seed' is missing", "add it"),
    config("a value of the wrong type", {"seeds": "1"}, "seeds: '1' is not allowed", "legal: a list"),
    config("a seed below 0", {"seeds": [-1]}, "seeds.0: -1 is not allowed", "legal: at least 0"),
    config("a seed above 32 bits", {"seed": 2**32}, "seed: 4294967296 is not allowed", "legal: at most"),
    config("no seed", {"seeds": []}, "seeds: at least one", "is needed"),
    config("a seed twice", {"seeds": [1, 1]}, "seeds: 1 is listed twice", "name it once"),
    config("a fractional seed", {"seeds": [1.0]}, "seeds.0: 1.0 is not allowed", "legal: a whole number"),
    config(
        "a number that YAML reads as text",
        {"vectors": {"fasttext": {"learning_rate": "1e-5"}}},
        "vectors.fasttext.learning_rate: '1e-5' is not allowed",
        "write no quotes, and 1.0e-5 rather than 1e-5",
    ),
    config(
        "NaN",
        {"recipes": {RR: {"mapping": {"tau": math.nan}}}},
        "recipes.rr-softmax.mapping.tau: nan",
        "finite",
    ),
    config("infinity", {"corpora": {"cc100": {"share": math.inf}}}, "corpora.cc100.share: inf", "finite"),
    config(
        "the language 'no' without quotes", {"languages": {False: {}}}, "languages: the key False", "quotes"
    ),
    config(
        "a number as a name", {"recipes": {1: {"extends": RR}}}, "recipes: the key 1 is not text", "quotes"
    ),
    config("a value of 5,000 letters", {"scale": "x" * 5000}, "scale: 'xxx", "legal: mini, real, paper"),
    config(
        "a slash in a name", {"lexica": {"a/b": {"kind": "muse"}}}, "lexica.a/b: 'a/b' is not", "legal: lower"
    ),
    config("a language without keys", {"languages": {"qab": None}}, "languages.qab: None", "legal: keys"),
    config("a list of recipes", {"recipes": [RR]}, "recipes: ['rr-softmax'] is not", "legal: keys"),
    config("an unknown scale", {"scale": "huge"}, "scale: 'huge' is not allowed", "legal: mini, real, paper"),
    config("an unknown source language", {"source": "xx"}, "source: 'xx' is not defined", "legal"),
    config("an unknown target", {"tasks": {"bli": {"targets": ["xx"]}}}, "tasks.bli.targets: 'xx'", "legal"),
    config(
        "an average of an unknown language",
        {"averages": {"seen": ["xx"]}},
        "averages.seen: 'xx' is not defined",
        "legal",
    ),
    config(
        "questions without a stride",
        {"tasks": {"xquad": {"stride": ...}}},
        "tasks.xquad: the key 'stride' is missing",
        "add it",
    ),
    config(
        "a stride for tags",
        {"tasks": {"panx": {"stride": 9}}},
        "tasks.panx.stride: not for panx",
        "leave it out",
    ),
    config(
        "an unknown split of a treebank",
        {"tasks": {"udpos": {"treebanks": {"qaa": ["UD_X-Y/x_y all"]}}}},
        "tasks.udpos.treebanks.qaa.0: 'UD_X-Y/x_y all' is not allowed",
        "legal: FOLDER/STEM",
    ),
    config(
        "a language without a name", {"languages": {"xx": {}}}, "languages.xx: 'xx' is not", "need a `name`"
    ),
    config(
        "vectors from nowhere",
        {"vectors": {"mine": {"origin": "import", "limit": None}}},
        "vectors.mine: needs 'dataset' and 'file'",
        "or 'files' by language",
    ),
    config(
        "vectors of an unknown language",
        {"vectors": {"wiki": {"files": {"xx": "v.vec"}}}},
        "vectors.wiki.files: 'xx' is not defined",
        "legal",
    ),
    config(
        "anchors with unknown vectors",
        {"anchors": {"full": {"vectors": "no"}}},
        "anchors.full.vectors: 'no'",
        "legal",
    ),
    config(
        "a sample of no anchors",
        {"anchors": {"full": {"size": 0}}},
        "anchors.full.size: 0",
        "legal: at least 1",
    ),
    config(
        "k of 0",
        {"recipes": {RR: {"mapping": {"k": 0}}}},
        "recipes.rr-softmax.mapping.k: 0",
        "legal: at least 1",
    ),
    config(
        "tau of 0", {"recipes": {RR: {"mapping": {"tau": 0}}}}, "recipes.rr-softmax.mapping.tau: 0", "legal"
    ),
    config(
        "a recipe that extends itself",
        {"recipes": {"a": {"extends": "a"}}},
        "recipes.a: extends itself",
        "remove",
    ),
    config(
        "recipes that extend each other",
        {"recipes": {"a": {"extends": "b"}, "b": {"extends": "a"}}},
        "recipes.a: extends itself: a -> b -> a",
        "remove",
    ),
    config(
        "an encoder that starts from itself",
        {"encoders": {"multi-mlm": {"base": "multi-mlm"}}},
        "encoders.multi-mlm.base: starts from itself: multi-mlm -> multi-mlm",
        "name another",
    ),
    config(
        "nearest words of anchors that are known",
        {"recipes": {"anchors-ao-words": {"search": {"of": "anchors-gt"}}}},
        "recipes.anchors-ao-words.search.of: recipe anchors-gt does not search for anchors",
        "name one of the same method whose search.kind is optimise or alternate",
    ),
    config(
        "nearest words of fewer anchors",
        {"recipes": {"anchors-ao-words": {"search": {"anchors": 20}}}},
        "recipes.anchors-ao-words.search.anchors: 20, but anchors-ao has 300",
        "use the same",
    ),
    config(
        "nearest texts of a search among other texts",
        {"recipes": {"heads-ao-words": {"searched_texts": 50}}},
        "recipes.heads-ao-words.searched_texts: differs from heads-ao",
        "use the same",
    ),
    config(
        "stitching that starts from itself",
        {"recipes": {"ls": {"base": "ls"}}},
        "recipes.ls.base: cannot start from recipe ls",
        "legal methods: zero-shot",
    ),
    config(
        "a recipe with an unknown encoder",
        {"recipes": {RR: {"encoder": "no"}}},
        "recipes.rr-softmax.encoder: 'no' is not defined",
        "legal (encoders)",
    ),
    config("an unknown kind of task", {"tasks": {"bli": {"kind": "no"}}}, "tasks.bli.kind: 'no'", "legal"),
    config(
        "vectors of an unknown data set",
        {"vectors": {"wiki": {"dataset": "no"}}},
        "vectors.wiki.dataset: 'no' is not defined",
        "legal (config/datasets.tsv)",
    ),
    config("a folder of an unknown data set", {"local": {"no": "x"}}, "local.no: 'no' is not", "legal"),
    config(
        "a file name with an unknown part",
        {"vectors": {"wiki": {"file": "{code}.vec"}}},
        "vectors.wiki.file: '{code}.vec' is not allowed",
        "legal: a name with {lang}",
    ),
    config(
        "a malformed address",
        {"vectors": {"wiki": {"files": {"qab": "http://[::1/v.vec"}}}},
        "vectors.wiki.files: http://...: not a web address",
        "correct it",
    ),
    config(
        "a malformed mirror", {"mirror": "http://h:x"}, "mirror: http://h:x: not a web address", "correct"
    ),
    config(
        "a recipe that extends an unknown one",
        {"recipes": {"a": {"extends": "b"}}},
        "recipes.a.extends: 'b' is not defined",
        "legal",
    ),
    config(
        "an encoder that extends an unknown one",
        {"encoders": {"multi-l2": {"extends": "wordot"}}},
        "encoders.multi-l2.extends: 'wordot' is not defined",
        "legal (encoders): ",
    ),
    config(
        "tasks that extend each other",
        {"tasks": {"marc5": {"extends": "marc"}, "marc": {"extends": "marc5"}}},
        "tasks.marc: extends itself: marc -> marc5 -> marc",
        "remove",
    ),
    config(
        "a number instead of a parent",
        {"anchors": {"full": {"extends": 5}}},
        "anchors.full.extends: 5 is not allowed",
        "legal: a name, or a list of names",
    ),
    config(
        "a template that is not true",
        {"anchors": {"full": {"template": "yes"}}},
        "anchors.full.template: 'yes' is not allowed",
        "legal: true, or leave the key out",
    ),
    config(
        "a mistake in an entry that others extend",
        {"encoders": {"aligned": {"loss": "l3"}}},
        "encoders.aligned.loss: 'l3' is not allowed",
        "legal: ",
    ),
    config(
        "values for an unknown recipe",
        {"tasks": {"xquad": {"by_recipe": {"xlmr-wordt": {"training": {"learning_rate": 5.0e-6}}}}}},
        "tasks.xquad.by_recipe: 'xlmr-wordt' is not defined",
        "legal (recipes): xlmr-wordot",
    ),
    config(
        "a recipe without its anchors",
        {"recipes": {"a": {"method": "stitch"}}},
        "recipes.a: the key 'anchors'",
        "add",
    ),
    config(
        "a lexicon made from itself",
        {"lexica": {"a": {"kind": "union", "lexica": ["a", "muse"]}}},
        "lexica.a: is",
        "remove",
    ),
    config(
        "a key that is not for this kind of lexicon",
        {"lexica": {"muse": {"folder": "x"}}},
        "lexica.muse.folder: not",
        "legal",
    ),
    config(
        "an encoder that is not pinned",
        {
            "encoders": {
                "a": {"origin": "download", "repo": "a/b", "revision": "main", "files": ["config.json"]}
            }
        },
        "encoders.a.revision: 'main'",
        "legal",
    ),
    config(
        "an encoder with pickled weights",
        {
            "encoders": {
                "a": {
                    "origin": "download",
                    "repo": "a/b",
                    "revision": "0" * 40,
                    "files": ["pytorch_model.bin"],
                }
            }
        },
        "encoders.a: model a/b: pytorch_model.bin may contain code",
        "only safetensors",
    ),
    config(
        "a share above 1",
        {"corpora": {"cc100": {"share": 1.5}}},
        "corpora.cc100.share: 1.5",
        "legal: at most 1",
    ),
    config("an unknown recipe left out", {"without": ["no"]}, "without: 'no' is not defined", "legal"),
    config(
        "a password in the mirror",
        {"mirror": "https://me:secret@host.example"},
        "mirror: https://host",
        "netrc",
    ),
    config("a mirror by FTP", {"mirror": "ftp://host.example"}, "mirror: ftp://host.example", "http(s)"),
    config(
        "a world of three concepts",
        {"world": {"concepts": 3}},
        "world.concepts: 3 is not allowed",
        "legal: at least 120",
    ),
    Case(
        "no such file",
        {},
        lambda: given_path("no.vec", "vectors.wiki.files.qab"),
        "config: vectors.wiki.files.qab: no.vec: no such file",
        "paths are relative to",
    ),
    Case(
        "a password in an address",
        {},
        lambda: mirrored("https://me:secret@host.example/v.vec", ""),
        "https://host.example/v.vec: an address must not have a query, fragment or password",
        "shorten it",
    ),
    Case(
        "no anchors",
        {},
        lambda: build_anchors(lexicon_table([("a", "b", 1.0)]), {"x": 0}, {"y": 0}, AnchorRules()),
        "no anchors: none of 1 lexicon pairs",
        "use another lexicon",
    ),
    Case(
        "fewer anchors than k",
        {},
        lambda: map_pair(
            Vectors(["a"], np.ones((1, 2), np.float32)),
            Vectors(["b"], np.ones((1, 2), np.float32)),
            pa.table({"source_row": [0], "target_row": [0]}),
            [],
            {"kind": "relative", "weighting": "softmax", "k": 5, "tau": 0.1, "rescale": False},
        ),
        "mapping: k is 5, but there are only 1 anchors",
        "lower k",
    ),
]


def dataset(what: str, row: str, place: str, remedy: str, header: str = "\t".join(COLUMNS)) -> Case:
    """A case of config/datasets.tsv."""
    content = f"{header}\n{row}\n".encode()
    return Case(what, {"d.tsv": content}, lambda: load_datasets(Path("d.tsv")), f"d.tsv{place}", remedy)


def lock(what: str, content: bytes, place: str) -> Case:
    """A case of the lock file."""
    return Case(what, {"l.tsv": content}, lambda: read_lock(Path("l.tsv")), f"l.tsv{place}", "delete")


def languages(what: str, content: bytes, place: str, remedy: str) -> Case:
    """A case of config/languages.tsv."""
    return Case(what, {"l.tsv": content}, lambda: load_languages(Path("l.tsv")), f"l.tsv{place}", remedy)


LISTED = b"language\tname\tfamily\tscript\ttokenizer\tebible\nqaa\tA\tmini\tLatin\tunicode\t\n"
LOCKED = b"url\tsha256\tsize\n"
LISTS = [
    dataset(
        "datasets.tsv: another header", "", ", line 1: the columns must be", "correct", header="name\turl"
    ),
    dataset(
        "datasets.tsv: a missing column", "a\t1\thttp://h/f\t\tfree", ", line 2: has 5 fields", "correct"
    ),
    dataset(
        "datasets.tsv: a slash in a name", "a/b\t1\thttp://h/f\t\tfree\t", ", line 2: dataset 'a/b'", "rename"
    ),
    dataset("datasets.tsv: empty", "", ", line 1: the columns must be", "correct", header=""),
    dataset(
        "datasets.tsv: an extra column", "a\t1\thttp://h/f\t\tfree\tx\ty", ", line 2: has 7 fields", "correct"
    ),
    dataset(
        "datasets.tsv: not an address",
        "a\t1\thttp://[h/f\t\tfree\t",
        ", line 2: url http://...: not a web",
        "correct",
    ),
    dataset("datasets.tsv: FTP", "a\t1\tftp://h/f\t\tfree\t", ", line 2: url ftp://h/f", "only http"),
    dataset(
        "datasets.tsv: a password", "a\t1\thttp://u:p@h/f\t\tfree\t", ", line 2: url http://h/f", "shorten"
    ),
    dataset("datasets.tsv: a short checksum", "a\t1\thttp://h/f\tabc\tfree\t", ", line 2: sha256", "correct"),
    dataset("datasets.tsv: no licence", "a\t1\thttp://h/f\t\t\t", ", line 2: licence is empty", "not stated"),
    dataset(
        "datasets.tsv: a repeated name",
        "a\t1\thttp://h/f\t\tfree\t\n" * 2,
        ", line 3: data set 'a'",
        "delete",
    ),
    lock("lock file: another header", b"a\tb\n", ", line 1: must be the header"),
    lock("lock file: a merge conflict", LOCKED + b"<<<<<<< HEAD\n", ", line 2: must be url"),
    lock("lock file: cut", LOCKED + b"http://h/f\tabc", ", line 2: must be url"),
    lock(
        "lock file: a repeated address", LOCKED + (b"http://h/f\t" + b"a" * 64 + b"\t1\n") * 2, ", line 3: "
    ),
    languages("languages.tsv: no column 'language'", b"name\nx\n", ":1: the header has no column", "restore"),
    languages("languages.tsv: empty", b"", ":1: the header has no column 'language'", "restore the line"),
    languages(
        "languages.tsv: a header alone", b"language\tname\n", ": lists no language", "restore the file"
    ),
    languages(
        "languages.tsv: no column 'panlex'", LISTED, ":1: the header has no column 'panlex'", "restore"
    ),
    languages("languages.tsv: no code", b"language\tname\n\tA\n", ":2: no language", "fill it in"),
    languages("languages.tsv: a missing column", b"language\tname\nxx\n", ":2: not as many columns", "tabs"),
    languages("languages.tsv: a code twice", b"language\tname\nx\ta\nx\tb\n", ":3: language 'x'", "delete"),
    languages("languages.tsv: ISO-8859-1", b"language\tname\nx\t" + LATIN1, ":2: not UTF-8 text", "convert"),
]

CASES: dict[str, list[Case]] = {
    "Word vectors": VECTORS,
    "Lexica": LEXICA,
    "Corpora": CORPORA,
    "Tasks": TASKS,
    "Parallel texts": PARALLEL,
    "Images": IMAGES,
    "Model folders": MODELS,
    "Archives": ARCHIVES,
    "Files of a run": ARRAYS,
    "Configuration": CONFIG,
    "Lists of the configuration": LISTS,
}


@cache
def refusal(noun: str, number: int) -> str:
    """Return the error line of a case, computed once, because some cases write megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        return CASES[noun][number].line(Path(folder))


def page() -> str:
    """Return the documentation page of all cases and their lines, with long lists shortened."""
    count = sum(map(len, CASES.values()))
    lines = [
        "# What malformed input leads to",
        "",
        f"{count} malformed inputs and the error line of each; the exit code is not 0, nothing is written.",
        "Generated by `PYTHONPATH=workflow/scripts python tests/unit/bad_inputs.py`; a test compares it.",
    ]
    for noun, cases in CASES.items():
        lines += ["", f"## {noun}", "", "| input | line |", "|---|---|"]
        for number, case in enumerate(cases):
            line = re.sub(r"((?:[\w-]+, ){3})(?:[\w-]+, )+[\w-]+", r"\1...", refusal(noun, number))
            lines.append(f"| {case.what} | `{line}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
