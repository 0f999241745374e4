"""Corpora in CC100's layout, streamed as tokenised sentences; Parquet row groups."""

import gzip
import logging
import lzma
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from xstitch.core import parquet
from xstitch.core.errors import InputError
from xstitch.core.parquet import read_table, stream_column, stream_sample, write_rows
from xstitch.sources import corpora, segmentation
from xstitch.sources.corpora import parts_folder, sample_corpus, sample_sentences
from xstitch.sources.segmentation import segmenter, spaced, split_sentences, word_splitter

TEXT = "One two three. Four five six!\nSeven eight nine.\n\nTen.\nEleven twelve, thirteen.\n"
SETTINGS = {"sentences": 100, "share": 1.0, "min_tokens": 3, "min_sentences": 1}
SEGMENT = segmenter("unicode", "xx")


@pytest.fixture(autouse=True)
def _forget_splitters():
    word_splitter.cache_clear()
    yield
    word_splitter.cache_clear()


def long_text(path, paragraphs=3000):
    """Write documents of a few paragraphs each, of sentences that all differ."""
    lines = []
    for number in range(paragraphs):
        lines.append(f"Word{number} is one of many. It has {number % 7} friends! So be it, {number}.")
        lines += [""] * (number % 4 == 0)
    path.write_bytes(lzma.compress("\n".join(lines).encode()))


@pytest.mark.parametrize("processes", [2, 3])
def test_any_number_of_processes_writes_the_same_bytes(tmp_path, processes):
    text = tmp_path / "xx.txt.xz"
    long_text(text)
    settings = {**SETTINGS, "sentences": 5000, "share": 0.3}
    alone, together = tmp_path / "alone.parquet", tmp_path / "together.parquet"
    assert sample_corpus(text, SEGMENT, settings, 1, tmp_path / "a", alone) == 5000
    assert sample_corpus(text, SEGMENT, settings, 1, tmp_path / "b", together, processes) == 5000
    assert together.read_bytes() == alone.read_bytes()


def test_what_a_process_refuses_is_refused_with_its_own_words(tmp_path):
    text = tmp_path / "xx.txt.xz"
    long_text(text)

    def refuse(paragraph):
        if "Word700 " in paragraph:
            raise InputError("xx.udpipe: cannot segment this")
        return SEGMENT(paragraph)

    with pytest.raises(InputError, match="udpipe: cannot segment this"):
        list(sample_sentences(text, refuse, {**SETTINGS, "sentences": 9000}, 1, processes=2))


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "xx.txt.xz"
    path.write_bytes(lzma.compress(TEXT.encode()))
    return path


def sample(path, seed=1, **changes):
    return list(sample_sentences(path, SEGMENT, {**SETTINGS, **changes}, seed))


def test_sentences_keep_their_document_and_paragraph(corpus):
    assert sample(corpus) == [
        (0, 0, "One two three ."),
        (0, 0, "Four five six !"),
        (0, 1, "Seven eight nine ."),
        (1, 1, "Eleven twelve , thirteen ."),
    ]


def test_paragraphs_of_one_sentence_can_be_left_out(corpus):
    assert [row[2] for row in sample(corpus, min_sentences=2)] == ["One two three .", "Four five six !"]
    assert sample(corpus, min_sentences=3) == []


def test_sentences_are_counted_before_short_ones_are_dropped(tmp_path):
    path = tmp_path / "xx.txt.xz"
    path.write_bytes(lzma.compress(b"Yes. One two three four.\nA headline without an end\n"))
    assert sample(path, min_sentences=2, min_tokens=5) == [(0, 0, "One two three four .")]
    assert sample(path, min_sentences=2, min_tokens=6) == []


def test_repeated_blank_lines_and_those_at_the_edges_make_no_documents(tmp_path):
    path = tmp_path / "xx.txt.xz"
    path.write_bytes(lzma.compress(b"\n\na b c\n \n\n\nd e f\ng h i\n\n"))
    assert [row[:2] for row in sample(path)] == [(0, 0), (1, 0), (1, 1)]


def test_reading_stops_at_the_limit(corpus):
    seen = []

    def segment(paragraph):
        seen.append(paragraph)
        return SEGMENT(paragraph)

    assert len(list(sample_sentences(corpus, segment, {**SETTINGS, "sentences": 2}, 1))) == 2
    assert seen == ["One two three. Four five six!"]


def test_documents_are_sampled_by_seed(tmp_path):
    path = tmp_path / "xx.txt.xz"
    path.write_bytes(
        lzma.compress("".join(f"doc {i} says this.\nand that.\n\n" for i in range(200)).encode())
    )
    samples = [[row[:2] for row in sample(path, seed, share=0.3)] for seed in (1, 1, 2)]
    assert samples[0] == samples[1] != samples[2]
    documents = {document for document, _ in samples[0]}
    assert 30 < len(documents) < 90
    assert samples[0] == [(document, number) for document in sorted(documents) for number in (0, 1)]


def documents(count):
    return "".join(f"doc {i} says this.\n\n" for i in range(count)).encode()


def numbered_documents(path, count):
    path.write_bytes(lzma.compress(documents(count)))
    return path


def test_a_text_with_fewer_sentences_than_wanted_is_used_whole(tmp_path):
    path = numbered_documents(tmp_path / "xx.txt.xz", 100)
    draws = np.random.default_rng(7).random(100)
    rounds = [(0, 0.1), (0.1, 0.2), (0.2, 0.4), (0.4, 0.8), (0.8, 1)]
    expected = [number for low, high in rounds for number, draw in enumerate(draws) if low <= draw < high]
    assert sorted(expected) == list(range(100))
    for wanted in (5, 60, 100, 1000):
        documents = [row[0] for row in sample(path, 7, share=0.1, sentences=wanted)]
        assert documents == expected[:wanted]


def test_a_sample_goes_on_behind_any_of_its_paragraphs(tmp_path):
    path = numbered_documents(tmp_path / "xx.txt.xz", 30)
    settings = {**SETTINGS, "share": 0.2}
    whole = list(sample_sentences(path, SEGMENT, settings, 1))
    assert len(whole) == 30
    for done, (document, number, _) in enumerate(whole, 1):
        assert list(sample_sentences(path, SEGMENT, settings, 1, (document, number))) == whole[done:]


def test_parts_share_no_document_and_add_up_to_the_whole(tmp_path):
    path = tmp_path / "xx.txt.xz"
    text = "".join(f"doc {i} says this.\nand that.\n\n" for i in range(40))
    path.write_bytes(lzma.compress(text.encode()))
    whole = sample(path, share=0.5)
    parts = [sample(path, share=0.5, part=[number, 3]) for number in (1, 2, 3)]
    assert sorted(row for part in parts for row in part) == sorted(whole)
    documents = [{row[0] for row in part} for part in parts]
    assert max(map(len, documents)) - min(map(len, documents)) <= 1
    assert not documents[0] & documents[1]


def test_a_truncated_file_is_refused_in_one_line(corpus):
    corpus.write_bytes(corpus.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"xx.txt.xz: not a complete .xz or .gz file"):
        sample(corpus)


def test_plain_text_is_read_and_other_bytes_are_refused(corpus, tmp_path):
    plain = tmp_path / "plain.txt.xz"
    plain.write_text(TEXT, encoding="utf-8")
    assert sample(plain) == sample(corpus)
    plain.write_bytes(b"BZh9\x00 packed by bzip2")
    with pytest.raises(InputError, match=r"plain.txt.xz: neither an .xz or .gz file nor plain UTF-8 text"):
        sample(plain)


def test_gzip_is_read_and_refused_if_incomplete(corpus, tmp_path):
    path = tmp_path / "xx.txt.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert sample(path) == sample(corpus)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"xx.txt.gz: not a complete .xz or .gz file"):
        sample(path)
    path.write_bytes(gzip.compress(TEXT.encode())[:30] + bytes(40))
    with pytest.raises(InputError, match=r"xx.txt.gz: not a complete .xz or .gz file"):
        sample(path)


@pytest.mark.parametrize("pack", [bytes, lzma.compress])
def test_nothing_behind_the_head_is_sampled_even_if_it_is_there(tmp_path, pack):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.write_bytes(pack(documents(2000)))
    head = whole.stat().st_size // 2
    cut.write_bytes(whole.read_bytes()[:head])
    rows = sample(whole, head=head, sentences=5000, share=0.1)  # the share is doubled until it is 1
    assert rows == sample(cut, head=head, sentences=5000, share=0.1)
    numbers = [row[0] for row in rows]
    assert sorted(numbers) == list(range(len(numbers))) and 500 < len(numbers) < 1500
    few = {"head": head, "sentences": 20, "share": 0.1}
    assert sample(whole, **few) == sample(cut, **few) == sample(whole, sentences=20, share=0.1)
    assert sample(whole, head=2 * head + 2, sentences=5000) == sample(whole, sentences=5000)


def test_a_text_that_was_cut_must_have_enough_sentences(tmp_path):
    text, output = tmp_path / "xx.txt", tmp_path / "out.parquet"
    text.write_bytes(documents(2000))
    settings = {**SETTINGS, "sentences": 1000, "head": 2000}
    # Ten documents of 18 bytes, 90 of 19, and 5 of 20 in the 110 bytes that are left.
    with pytest.raises(
        InputError, match=r"xx.txt: only 105 of 1,000 sentences in its first 0.002 MB; raise b"
    ):
        sample_corpus(text, SEGMENT, settings, 1, tmp_path / "parts", output)
    assert not output.exists()
    enough = {**settings, "sentences": 105}
    assert sample_corpus(text, SEGMENT, enough, 1, tmp_path / "other", output) == 105
    short = {**settings, "sentences": 5000, "head": 10**6}  # longer than the text: it has what it has
    assert sample_corpus(text, SEGMENT, short, 1, tmp_path / "all", output) == 2000


def test_paragraphs_can_be_sampled_as_they_are_written(corpus):
    settings = {"unit": "paragraph", "sentences": 3, "share": 1.0}
    assert list(sample_sentences(corpus, SEGMENT, settings, 1)) == [
        (0, 0, "One two three. Four five six!"),
        (0, 1, "Seven eight nine."),
        (1, 0, "Ten."),
    ]


class KilledError(Exception):
    """Simulates a job that is killed at any moment."""


def numbered(path):
    """Write forty paragraphs of two sentences, four per document."""
    lines = (f"Word {i} stands here. So does {i}.{chr(10) * (1 + (i % 4 == 3))}" for i in range(40))
    path.write_bytes(lzma.compress("\n".join(lines).encode()))
    return path


def test_a_killed_run_resumes_and_ends_with_the_same_sample(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(corpora, "PART", 7)
    path, output, parts = numbered(tmp_path / "xx.txt.xz"), tmp_path / "out/xx.parquet", tmp_path / "parts"
    settings = {**SETTINGS, "sentences": 71, "share": 0.95}
    expected = list(sample_sentences(path, SEGMENT, settings, 3))
    seen = []

    def segment(paragraph):
        if len(seen) == 11:
            seen.append(paragraph)
            raise KilledError
        seen.append(paragraph)
        return SEGMENT(paragraph)

    with pytest.raises(KilledError):
        sample_corpus(path, segment, settings, 3, parts, output)
    assert not output.exists()
    with caplog.at_level(logging.INFO, "xstitch"):
        count = sample_corpus(path, segment, settings, 3, parts, output)
    table = read_table(output)
    assert [tuple(row.values()) for row in table.to_pylist()] == expected
    assert count == len(expected) == 71
    # Eleven paragraphs were done; parts of at least 7 sentences end after every fourth one.
    assert "resumed after 16 sentences" in caplog.text
    assert "71 sentences, " in caplog.text
    assert "sentences/s" in caplog.text
    assert seen[12] == seen[8]
    assert not parts.exists()


def test_damaged_parts_are_sampled_again(tmp_path, caplog):
    path, output, parts = numbered(tmp_path / "xx.txt.xz"), tmp_path / "xx.parquet", tmp_path / "parts"
    parts.mkdir()
    (parts / "000000000000.parquet").write_bytes(b"")
    assert sample_corpus(path, SEGMENT, SETTINGS, 1, parts, output) == 80
    assert "ignored and removed" in caplog.text


def test_parts_belong_to_one_text_and_one_setting(tmp_path):
    path = numbered(tmp_path / "xx.txt.xz")
    first = parts_folder(tmp_path / "parts", path, "seed 1")
    first.mkdir(parents=True)
    assert parts_folder(tmp_path / "parts", path, "seed 1") == first
    assert first.exists()
    assert parts_folder(tmp_path / "parts", path, "seed 2") != first
    assert not first.exists()
    path.write_bytes(lzma.compress(b"other"))
    assert parts_folder(tmp_path / "parts", path, "seed 1") != first


def test_a_text_without_any_long_sentence_is_refused_in_one_line(corpus, tmp_path):
    with pytest.raises(InputError, match=r"xx.txt.xz: no paragraph .* min_sentences=9 and min_tokens=3"):
        sample_corpus(
            corpus, SEGMENT, {**SETTINGS, "min_sentences": 9}, 1, tmp_path / "parts", tmp_path / "o.parquet"
        )
    assert not (tmp_path / "o.parquet").exists()


def test_text_is_split_at_sentence_marks_of_other_scripts():
    assert split_sentences("甲乙。丙丁！戊") == ["甲乙。", "丙丁！", "戊"]
    assert split_sentences("A 3.5 b. C?") == ["A 3.5 b.", "C?"]


def test_tokens_keep_apostrophes_and_split_punctuation():
    assert SEGMENT("Don't (stop)! Go.") == [["Don't", "(", "stop", ")", "!"], ["Go", "."]]


@pytest.mark.parametrize("tool", ["unicode", "udpipe", "icu"])
def test_text_with_spaces_stays_as_it_is(tool, monkeypatch):
    for module in ("icu", "ufal.udpipe"):
        monkeypatch.setitem(sys.modules, module, None)
    assert spaced("Don't stop.", tool) == "Don't stop."


def test_an_unknown_tokenizer_is_refused():
    message = "no tokenizer 'magic'; legal: unicode, udpipe, icu, jieba, fugashi"
    with pytest.raises(InputError, match=message):
        segmenter("magic", "xx")
    with pytest.raises(InputError, match=message):
        spaced("text", "magic")


@pytest.mark.parametrize(
    ("tool", "language", "missing", "package"),
    [
        ("icu", "th", "icu", "PyICU"),
        ("jieba", "zh", "jieba", "jieba"),
        ("fugashi", "ja", "fugashi", "fugashi"),
        ("udpipe", "te", "ufal.udpipe", "ufal.udpipe"),
    ],
)
def test_a_missing_tool_is_refused_with_how_to_get_it(
    tool, language, missing, package, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, missing, None)
    model = tmp_path / "te.udpipe"
    model.touch()
    with pytest.raises(InputError) as caught:
        segmenter(tool, language, model)
    assert package in str(caught.value)
    assert "pip install -r requirements/scripts.txt" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_dictionary_or_unspaced_text_without_icu_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "fugashi", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "unidic_lite", None)
    monkeypatch.setitem(sys.modules, "icu", None)
    with pytest.raises(InputError, match="unidic-lite"):
        spaced("東京", "fugashi")
    with pytest.raises(InputError, match="PyICU"):
        spaced("ภาษาไทย", "icu")


def test_chinese_without_icu_is_split_at_punctuation_marks(monkeypatch, caplog):
    letters = SimpleNamespace(setLogLevel=lambda _: None, cut=list)
    monkeypatch.setitem(sys.modules, "jieba", letters)
    monkeypatch.setitem(sys.modules, "icu", None)
    assert segmenter("jieba", "zh")("甲 乙。丙！") == [["甲", "乙", "。"], ["丙", "！"]]
    assert "PyICU is not installed: sentences of zh" in caplog.text


def test_udpipe_without_a_model_says_where_to_get_one(tmp_path):
    with pytest.raises(InputError, match=r"config: udpipe: a folder with te.udpipe is needed; .*https"):
        segmenter("udpipe", "te", "")
    with pytest.raises(InputError, match=r"te.udpipe: no such UDPipe model; .*https"):
        segmenter("udpipe", "te", tmp_path / "te.udpipe")


def test_udpipe_tokens_are_written_or_split():
    """UDPipe splits French "du lac" into "de", "le" and "lac"."""
    words = [SimpleNamespace(form=form) for form in ("<root>", "près", "de", "le", "lac")]
    contracted = SimpleNamespace(idFirst=2, idLast=3, form="du")
    sentence = SimpleNamespace(words=words, multiwordTokens=[contracted])
    assert segmentation._written_tokens(sentence) == ["près", "du", "lac"]
    assert segmentation._split_tokens(sentence) == ["près", "de", "le", "lac"]


def test_contractions_are_split_if_the_corpus_says_so(monkeypatch, tmp_path):
    words = tuple(SimpleNamespace(form=form) for form in ("<root>", "près", "de", "le", "lac"))
    contracted = SimpleNamespace(idFirst=2, idLast=3, form="du")

    def tokenizer(_):
        more = iter([True, False])

        def fill(sentence, _):
            sentence.words, sentence.multiwordTokens = words, [contracted]
            return next(more)

        return SimpleNamespace(setText=lambda _: None, nextSentence=fill)

    model = SimpleNamespace(DEFAULT="", newTokenizer=tokenizer)
    udpipe = SimpleNamespace(
        Model=SimpleNamespace(load=lambda _: model),
        Sentence=SimpleNamespace,
        ProcessingError=lambda: SimpleNamespace(occurred=lambda: False),
    )
    monkeypatch.setattr(segmentation, "_load", lambda _: udpipe)
    (tmp_path / "fr.udpipe").touch()
    for contractions, tokens in (("written", "près du lac"), ("split", "près de le lac")):
        segment = segmenter("udpipe", "fr", tmp_path / "fr.udpipe", contractions)
        assert segment("près du lac") == [tokens.split()]


def test_rows_are_written_in_row_groups_and_streamed_back(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP", 3)
    schema = pa.schema([("number", pa.int64()), ("text", pa.string())])
    assert write_rows(((i, f"t{i}") for i in range(7)), schema, tmp_path / "x.parquet") == 7
    assert pq.ParquetFile(tmp_path / "x.parquet").num_row_groups == 3
    assert list(stream_column(tmp_path / "x.parquet", "text")) == [f"t{i}" for i in range(7)]
    with pytest.raises(InputError, match="not a complete Parquet file"):
        read_table(__file__)


def test_a_sample_of_a_column_is_in_its_order_and_part_of_a_larger_one(tmp_path):
    file = tmp_path / "x.parquet"
    write_rows(((f"t{i:03d}",) for i in range(300)), pa.schema([("text", pa.string())]), file)
    few, many = (list(stream_sample(file, "text", size, 4)) for size in (20, 90))
    assert (len(few), len(many)) == (20, 90)
    assert few == sorted(few) and set(few) < set(many)
    assert set(few) != set(stream_sample(file, "text", 20, 5))
    assert list(stream_sample(file, "text", None, 4)) == list(stream_column(file, "text"))
