"""The files of every data set that the rehearsal downloads, in their real formats, with invented words.

Texts are as long as models read. There are as many as a few batches need, or, where a rule's memory grows
with their number and nothing is trained on them, as many as there really are.
"""

from __future__ import annotations

import gzip
import json
import lzma
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, cycle, islice
from pathlib import PurePosixPath

from words import FREQUENT, SIZE, sentences, texts, word

from xstitch.sources.world.images import images_bytes
from xstitch.sources.world.packing import zip_bytes
from xstitch.sources.world.panlex import INDICES, MEMBER, SCHEMA
from xstitch.sources.world.settings import WorldSettings

TRAIN, TEST = 64, 8  # rows of a task: for training, for development and tests
REVIEWS = 320  # for training: 300 of them are anchors of relative heads
ANCHORS = 6731  # pairs whose source word BERT knows (mosecrot, Table 4)
UNKNOWN = 30_000  # rank of words that are in no encoder's vocabulary
DICTIONARY = 60_000  # pairs of a large MUSE dictionary
PAIRS = 50_000  # sentence pairs; wordot samples up to 250,000 per language
CORPUS = 1_040_000  # sentences of CC100, of which a million are sampled
SENTENCE_PAIRS = 392_702  # of MultiNLI
IMAGES = 512
ISO = {"eng": "en", "deu": "de", "spa": "es", "nds": "nds", "esp": "es"}
Content = Callable[[str], bytes]  # the bytes of a file, by its name within the data set


def _lines(rows: Iterable[str]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def _language(file: str) -> str:
    """The language in names such as wiki.de.vec or de.txt.gz."""
    return next(
        part for part in file.replace("-", ".").replace("_", ".").split(".") if part in ("en", "de", "es")
    )


def _paragraphs(lang: str, count: int, length: int = 25, known: int = FREQUENT) -> Iterator[str]:
    """Paragraphs of four sentences, three to a document; documents are separated by empty lines."""
    written = sentences(lang, "corpus", 4 * count, length, known)
    for number in range(count):
        yield " ".join(islice(written, 4))
        if number % 3 == 2:
            yield ""


def cc100(file: str) -> bytes:
    """Documents in xz, with as many sentences and about as many words as X2Static reads and learns."""
    lang = _language(file)
    return lzma.compress(_lines(_paragraphs(lang, CORPUS // 4, 18, SIZE)), preset=0)


def wikipedia2018(file: str) -> bytes:
    """Documents in gzip."""
    return gzip.compress(_lines(_paragraphs(_language(file), 3000)), 1, mtime=0)


def conll2003(file: str) -> bytes:
    """A sentence of 100 words per document, every tenth word a name; German files have lemmas."""
    code = file.partition(".")[0]
    lang, tags, lemma = ISO[code], cycle(["PER", "ORG", "LOC", "MISC"]), "x " if code == "deu" else ""
    rows = []
    for text in texts(lang, file, TRAIN, 100):
        rows += [f"-DOCSTART- {lemma}-X- O O", ""]
        for number, name in enumerate(text.split()):
            rows.append(f"{name} {lemma}NN I-NP {'O' if number % 10 else 'I-' + next(tags)}")
        rows.append("")
    return _lines(rows)


def marc(file: str) -> bytes:
    """Reviews of 520 words, as many as models read at most, with one to five stars in turn."""
    lang, count = _language(PurePosixPath(file).name), REVIEWS if "train" in file else TEST
    return _lines(
        json.dumps({
            "review_id": f"{lang}_{number:07d}", "product_id": f"product_{number}",
            "reviewer_id": f"reviewer_{number}", "stars": str(number % 5 + 1), "review_body": text,
            "review_title": word(number, lang), "language": lang, "product_category": "book",
        })
        for number, text in enumerate(texts(lang, file, count, 520))
    )  # fmt: skip


def muse(file: str) -> bytes:
    """Pairs: of words that BERT knows as many as the paper has anchors, the others of rare words."""
    source, target = file.partition(".")[0].split("-")
    if file.endswith(".5000-6500.txt"):
        ranks = range(5000, 6500)
    else:
        ranks = [*range(ANCHORS), *range(UNKNOWN, UNKNOWN + DICTIONARY - ANCHORS)]
    return _lines(f"{word(rank, source)} {word(rank, target)}" for rank in ranks)


def panlex_lite(_: str) -> bytes:
    """One source of the best quality that has the same words as a MUSE dictionary."""
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA)
    for number, (iso, lang) in enumerate([("eng", "en"), ("nds", "nds"), ("deu", "de")], start=1):
        database.execute("INSERT INTO lv VALUES (?, ?, 0, ?, ?)", (number, iso, f"{iso}-000", iso))
        ranks = [*range(ANCHORS), *range(UNKNOWN, UNKNOWN + DICTIONARY - ANCHORS)]
        keys = [(number * 10**6 + rank, rank) for rank in ranks]
        database.executemany(
            "INSERT INTO ex VALUES (?, ?, ?)", [(key, number, word(rank, lang)) for key, rank in keys]
        )
        database.executemany("INSERT INTO dnx VALUES (?, ?, 1, 1, 9)", [(rank, key) for key, rank in keys])
    database.executescript(INDICES)
    database.commit()
    return zip_bytes({MEMBER: database.serialize()})


def opus(file: str) -> bytes:
    """Pairs of sentences of 100 words, which fill what encoders read, and of 60, which aligners link.

    All differ: an aligner's memory grows with the pairs of words that occur together.
    """
    corpus, name = PurePosixPath(file).parts[0], PurePosixPath(file).name.removesuffix(".txt.zip")
    sides = {}
    for lang in name.split("-"):
        long, short = (sentences(lang, f"parallel {length}", PAIRS // 2, length) for length in (100, 60))
        sides[f"{corpus}.{name}.{lang}"] = _lines(chain.from_iterable(zip(long, short, strict=True)))
    return zip_bytes(sides)


def semeval2017(_: str) -> bytes:
    """500 graded pairs of words in and across languages."""
    files, root = {}, "SemEval17-Task2/test"
    for name in ("en", "de", "en-de"):
        first, _, second = name.partition("-")
        kind = "subtask2-crosslingual" if second else "subtask1-monolingual"
        rows = [f"{word(k, first)}\t{word(k + 1, second or first)}" for k in range(500)]
        files[f"{root}/{kind}/data/{name}.test.data.txt"] = _lines(rows)
        files[f"{root}/{kind}/keys/{name}.test.gold.txt"] = _lines(f"{k % 5}.00" for k in range(500))
    return zip_bytes(files)


def squad(file: str) -> bytes:
    """Questions about texts of 350 words, so that a window of 384 tokens is full; the answer is a word."""
    lang = file.split(".")[1] if file.startswith("xquad") else "en"
    rows = texts(lang, file, TRAIN if "train" in file else TEST, 350)
    paragraphs = [
        {"context": text, "qas": [{
            "id": f"{number:06d}", "question": " ".join(text.split()[:40]),
            "answers": [{"text": text.split()[0], "answer_start": 0}],
        }]}
        for number, text in enumerate(rows)
    ]  # fmt: skip
    return json.dumps({"version": "1.1", "data": [{"title": "all", "paragraphs": paragraphs}]}).encode()


def tatoeba(file: str) -> bytes:
    """A thousand sentences, as each of LASER's test sets has at most."""
    return _lines(texts(ISO[file.rpartition(".")[2]], "tatoeba", 256, 20))


def wikimatrix(file: str) -> bytes:
    """Sentences above the threshold in two languages."""
    first, second = file.removeprefix("WikiMatrix.").removesuffix(".tsv.gz").split("-")
    pairs = zip(*(texts(lang, "matrix", 512, 60) for lang in (first, second)), strict=True)
    return gzip.compress(_lines(f"1.2\t{one}\t{two}" for one, two in pairs), 1, mtime=0)


def xnli_mt(_: str) -> bytes:
    """As many pairs as MultiNLI has: only their import is rehearsed at this size."""
    files = {}
    for lang in ("en", "de"):
        different, labels = list(texts(lang, "xnli", 2000, 30)), ("entailment", "neutral", "contradictory")
        rows = (
            f"{text[:120]}\t{text[120:190]}\t{labels[k % 3]}"
            for k, text in enumerate(islice(cycle(different), SENTENCE_PAIRS))
        )
        files[f"XNLI-MT-1.0/multinli/multinli.train.{lang}.tsv"] = _lines(["premise\thypo\tlabel", *rows])
    return zip_bytes(files)


def taxi1500(file: str) -> bytes:
    """Labelled verses of 100 words, in English or as their authors share them."""
    code, _, split = PurePosixPath(file).stem.partition("_")
    labels = ("Recommendation", "Faith", "Description", "Sin", "Grace", "Violence")
    rows = enumerate(texts(ISO.get(code, code), file, 860 if split == "train" else 111, 100))
    return _lines(f"{40001001 + number}\t{labels[number % 6]}\t{text}" for number, text in rows)


def cifar10(_: str) -> bytes:
    """Images of 32 x 32 pixels in python batches."""
    return images_bytes(WorldSettings(images=IMAGES))


DATA_SETS: dict[str, Content] = {
    "cc100": cc100,
    "cifar10": cifar10,
    "conll2003": conll2003,
    "marc": marc,
    "muse": muse,
    "opus": opus,
    "panlex-lite": panlex_lite,
    "semeval2017": semeval2017,
    "squad": squad,
    "tatoeba": tatoeba,
    "taxi1500": taxi1500,
    "taxi1500-corpus": taxi1500,
    "wikimatrix": wikimatrix,
    "wikipedia2018": wikipedia2018,
    "xnli-mt": xnli_mt,
    "xquad": squad,
}
