"""Properties of all parsers: they read or refuse any bytes, and read back what was written."""

import json
import unicodedata
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from xstitch.core.errors import InputError
from xstitch.core.files import load_npz, read_json
from xstitch.core.parquet import read_table, stream_column
from xstitch.plan.settings import load_tsv
from xstitch.results.scores import Score, read_scores, write_scores
from xstitch.results.tables import read_reference
from xstitch.sources.corpora import sample_sentences
from xstitch.sources.fetch.archives import extract_member
from xstitch.sources.fetch.datasets import load_datasets
from xstitch.sources.fetch.lock import HEADER, read_lock, record
from xstitch.sources.fetch.lock import Entry as Locked
from xstitch.sources.fetch.model_folders import unsafe_settings
from xstitch.sources.images import read_batches
from xstitch.sources.lexica import Entry, read_muse, read_tsv
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
from xstitch.sources.tasks.rows import Sentence
from xstitch.spaces.similarity import Item, join_scores
from xstitch.vectors.formats.read import read_vectors
from xstitch.vectors.formats.text import write_text_vectors
from xstitch.vectors.table import Vectors

# The same examples in every run; each writes its own file, so they may share one folder.
PROPERTY = settings(
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
REVIEWS = {"classes": 5, "fields": ["review_body"]}
SAMPLE = {"sentences": 50, "share": 1.0, "min_tokens": 1, "min_sentences": 1}

PARSERS = {
    "vectors": read_vectors,
    "few vectors": lambda path: read_vectors(path, 2),
    "muse": read_muse,
    "own lexicon": read_tsv,
    "panlex lite": lambda path: read_panlex_lite(path, "eng-000", "fao-000"),
    "panlex meanings": lambda path: read_panlex_meanings([path], [path], "eng-000", "eng-000"),
    "swadesh": lambda path: read_swadesh(path, "eng-000", "fao-000"),
    "corpus": lambda path: sample_sentences(path, segmenter("unicode", "qaa"), SAMPLE, 1),
    "similarities": lambda path: join_scores(path, path),
    "taxi1500": taxi1500.read_labelled,
    "taxi1500 joined": lambda path: taxi1500.join_verses(path, path, path),
    "marc": lambda path: marc.read({"train": path}, "train", REVIEWS),
    "own texts": lambda path: tsv.read({"train": path}, "train", {"labels": ["a", "b"]}),
    "xnli": xnli.read_xnli,
    "xnli of a language": lambda path: xnli.read_xnli(path, "de"),
    "squad": squad.read_squad,
    "tydiqa": lambda path: tydiqa.read_tydiqa(path, "sw"),
    "panx": lambda path: panx.read_panx(path, "de"),
    "wikiann": lambda path: wikiann.read_wikiann(path, "de"),
    "conll2002": conll.read_conll2002,
    "conll2003": conll.read_conll2003,
    "conllu": universal_dependencies.read_conllu,
    "tatoeba": lambda path: tatoeba.read_tatoeba(path, path),
    "parallel": lambda path: read_moses([path, path], "de", "en"),
    "parallel in a zip": lambda path: read_moses([path], "de", "en"),
    "images": lambda path: read_batches([path]),
    "scores": read_scores,
    "reference": lambda path: read_reference(path, "2"),
    "lock": read_lock,
    "datasets": load_datasets,
    "languages": lambda path: load_tsv(path, "language"),
    "json": read_json,
    "model settings": unsafe_settings,
    "npz": load_npz,
    "npz of vectors": Vectors.load,
    "parquet": read_table,
    "parquet column": lambda path: stream_column(path, "text"),
    "archive": lambda path: extract_member(path, "a", path.with_name("unpacked")),
}
# Pieces of files in all these formats, so that some examples get past the first line.
PIECES = """
 1 2 3 0.5 -1e3 nan inf a b c de: O B-PER I-LOC NOUN Faith neutral entailment -DOCSTART- 40005003 eng-000
 { } [ ] " : , {"data": "paragraphs": "context": "stars": "1" "review_id": \\ud800 null 1e999 url sha256 size
 language table value""".split()
text_like = st.lists(st.sampled_from([*PIECES, "\t", "\n", "\r", " ", "\0", "\ufeff", "é", "𝄞"]), max_size=40)
first_lines = st.sampled_from(
    [
        b"",
        b"2 2\n",
        b"PK\3\4",
        b"\x80\4",
        b"\x1f\x8b",
        b"BZh9",
        b"\xfd7zXZ\0",
        b"PAR1",
        b"SQLite format 3\0",
        b"\x93NUMPY",
        b"meaning\ttxt\tlangvar_uid\n",
        ("\t".join(Score._fields) + "\n").encode(),
        ("\t".join(HEADER) + "\n").encode(),
        b"language\tname\n",
        b"gold_label\tsentence1\tsentence2\n",
    ]
)
contents = st.builds(
    bytes.__add__, first_lines, st.binary(max_size=200) | text_like.map("".join).map(str.encode)
)
# Words have no white space, by which some formats separate them, and are composed, as readers compose them.
words = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zs", "Zl", "Zp"]), min_size=1, max_size=8
).map(partial(unicodedata.normalize, "NFC"))
floats = st.floats(-1e6, 1e6, width=32)


def exhausted(result):
    return list(result) if isinstance(result, Iterable) else result


@pytest.mark.parametrize("name", PARSERS)
@PROPERTY
@given(content=contents)
@example(content=b"[" * 100_000)
@example(content=b"9" * 5_000)
@example(content=b"a\tb\t" + b"9" * 5_000 + b"\n")
@example(content=b'"' + b"a" * 200_000 + b"\n")
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path, name, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    try:
        exhausted(PARSERS[name](path))
    except InputError as problem:
        assert "\n" not in str(problem)
        assert len(str(problem)) < 600


@PROPERTY
@given(rows=st.dictionaries(words, st.tuples(floats, floats), min_size=1, max_size=20))
def test_vectors_read_back(tmp_path, rows):
    vectors = Vectors(list(rows), np.array(list(rows.values()), dtype=np.float32))
    write_text_vectors(vectors, tmp_path / "v.vec.gz")
    vectors.save(tmp_path / "v.npz")
    for again in (read_vectors(tmp_path / "v.vec.gz"), Vectors.load(tmp_path / "v.npz")):
        assert again.words == vectors.words
        assert np.array_equal(again.matrix, vectors.matrix)


@PROPERTY
@given(pairs=st.lists(st.tuples(words, words, floats), min_size=1, max_size=20))
def test_lexica_and_similarities_read_back(tmp_path, pairs):
    path = tmp_path / "l"
    path.write_text("".join(f"{s} {t}\n" for s, t, _ in pairs), encoding="utf-8")
    assert [entry[:2] for entry in read_muse(path)] == [pair[:2] for pair in pairs]
    path.write_text("".join(f"{s}\t{t}\t{score!r}\n" for s, t, score in pairs), encoding="utf-8")
    header = [entry[:2] for entry in pairs[:1] if [w.lower() for w in entry[:2]] == ["source", "target"]]
    assert list(read_tsv(path)) == [Entry(*pair) for pair in pairs[len(header) :]]
    path.write_text("".join(f"{s}\t{t}\n" for s, t, _ in pairs), encoding="utf-8")
    keys = tmp_path / "keys"
    keys.write_text("".join(f"{score!r}\n" for *_, score in pairs), encoding="utf-8")
    assert list(join_scores(path, keys)) == [Item(*pair) for pair in pairs]


@PROPERTY
@given(entries=st.dictionaries(words, st.integers(0, 10**15), max_size=8))
def test_the_lock_reads_back_whatever_the_order(tmp_path, entries):
    lock = tmp_path / "lock.tsv"
    lock.unlink(missing_ok=True)
    known = {word: Locked(word, f"{size:064x}", size) for word, size in entries.items()}
    for entry in known.values():
        record(lock, entry)
    assert read_lock(lock) == known


@PROPERTY
@given(values=st.lists(st.tuples(words, st.integers(0, 2**32 - 1), st.integers(-(10**9), 10**9)), max_size=8))
def test_scores_read_back(tmp_path, values):
    scores = [
        Score(word, "t", "a", "b", "test", "f1", seed, value / 1e9, 5, "mini") for word, seed, value in values
    ]
    write_scores(scores, tmp_path / "s.tsv")
    assert read_scores(tmp_path / "s.tsv") == scores


tagged = st.lists(
    st.lists(st.tuples(words, st.sampled_from(panx.TAGS)), min_size=1, max_size=6), min_size=1, max_size=5
)


@PROPERTY
@given(sentences=tagged)
def test_tagged_sentences_read_back(tmp_path, sentences):
    path = tmp_path / "s"
    expected = [Sentence(*zip(*sentence, strict=True)) for sentence in sentences]
    lines = ["".join(f"de:{word}\t{tag}\n" for word, tag in sentence) for sentence in sentences]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert list(panx.read_panx(path, "de")) == list(wikiann.read_wikiann(path, "de")) == expected
    lines = ["".join(f"{word} X {tag}\n" for word, tag in sentence) for sentence in sentences]
    path.write_text("\n".join(lines), encoding="utf-8")
    if not any(word == conll.DOCUMENT for sentence in sentences for word, _ in sentence):
        assert list(conll.read_conll2002(path)) == expected


@PROPERTY
@given(tags=st.lists(st.sampled_from(conll.TAGS), max_size=12))
def test_iob2_stays_iob2_and_keeps_kinds(tags):
    once = conll.as_iob2(tags)
    assert conll.as_iob2(once) == once
    assert [tag[1:] for tag in once] == [tag[1:] for tag in tags]
    assert all(
        tag[0] != "I" or before[1:] == tag[1:] for before, tag in zip(("O", *once), once, strict=False)
    )


prose = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@PROPERTY
@given(
    context=prose.filter(bool),
    name=words,
    spans=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=3),
)
def test_questions_read_back_and_misplaced_answers_are_refused(tmp_path, context, name, spans):
    starts = [(start % len(context), length) for start, length in spans]
    ends = [(start, start + 1 + length % (len(context) - start)) for start, length in starts]
    answers = [{"answer_start": start, "text": context[start:end]} for start, end in ends]
    data = {
        "data": [
            {"paragraphs": [{"context": context, "qas": [{"id": name, "question": "?", "answers": answers}]}]}
        ]
    }
    path = tmp_path / "q.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    (question,) = squad.read_squad(path)
    assert question.context == context
    assert [tuple(answer) for answer in question.answers] == [
        (start, context[start:end]) for start, end in ends
    ]
    answers[0]["text"] += "!"
    path.write_text(json.dumps(data), encoding="utf-8")
    if context[: ends[0][1] + 1][ends[0][0] :] != answers[0]["text"]:
        with pytest.raises(InputError):
            list(squad.read_squad(path))


@PROPERTY
@given(reviews=st.lists(st.tuples(st.integers(1, 5), prose), min_size=1, max_size=6))
def test_reviews_read_back(tmp_path, reviews):
    path: Path = tmp_path / "r.json"
    records = [{"review_id": str(i), "stars": s, "review_body": t} for i, (s, t) in enumerate(reviews)]
    path.write_text("".join(json.dumps(r, ensure_ascii=True) + "\n" for r in records), encoding="utf-8")
    examples = marc.read({"train": str(path)}, "train", REVIEWS)
    assert [(int(example.label), example.text) for example in examples] == reviews
