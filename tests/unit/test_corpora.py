"""Corpora in CC100's layout, streamed to tokenised sentences; parquet row groups."""

import lzma

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from xstitch import parquet
from xstitch.corpora import sample_sentences
from xstitch.errors import InputError
from xstitch.parquet import read_table, stream_column, write_rows
from xstitch.text import spaced, split_sentences, tokenizer

TEXT = "One two three. Four five six!\nSeven eight nine.\n\nTen.\nEleven twelve, thirteen.\n"
SETTINGS = {"sentences": 100, "share": 1.0, "min_tokens": 3}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "xx.txt.xz"
    path.write_bytes(lzma.compress(TEXT.encode()))
    return path


def test_sentences_keep_their_document_and_paragraph(corpus):
    rows = list(sample_sentences(corpus, tokenizer("unicode"), SETTINGS, 1))
    assert rows == [
        (0, 0, "One two three ."),
        (0, 0, "Four five six !"),
        (0, 1, "Seven eight nine ."),
        (1, 1, "Eleven twelve , thirteen ."),
    ]


def test_the_limit_is_kept(corpus):
    assert len(list(sample_sentences(corpus, tokenizer("unicode"), {**SETTINGS, "sentences": 2}, 1))) == 2


def test_documents_are_sampled_by_seed(tmp_path):
    path = tmp_path / "xx.txt.xz"
    path.write_bytes(lzma.compress("".join(f"doc {i} says this.\n\n" for i in range(200)).encode()))
    settings = {**SETTINGS, "share": 0.3}
    samples = [
        [row[0] for row in sample_sentences(path, tokenizer("unicode"), settings, seed)] for seed in (1, 1, 2)
    ]
    assert samples[0] == samples[1] != samples[2]
    assert 30 < len(samples[0]) < 90


def test_a_truncated_file_is_one_line(corpus):
    corpus.write_bytes(corpus.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"xx.txt.xz: not a whole .xz file"):
        list(sample_sentences(corpus, tokenizer("unicode"), SETTINGS, 1))


def test_sentence_marks_of_other_scripts():
    assert split_sentences("甲乙。丙丁！戊") == ["甲乙。", "丙丁！", "戊"]
    assert split_sentences("A 3.5 b. C?") == ["A 3.5 b.", "C?"]


def test_tokens_keep_apostrophes_and_split_punctuation():
    assert tokenizer("unicode")("Don't (stop)!") == ["Don't", "(", "stop", ")", "!"]
    assert spaced("Don't stop", "unicode") == "Don't stop"


def test_an_unknown_tokenizer_is_refused():
    with pytest.raises(InputError, match="no tokenizer 'magic'"):
        tokenizer("magic")


def test_rows_are_written_in_row_groups_and_streamed_back(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP", 3)
    schema = pa.schema([("number", pa.int64()), ("text", pa.string())])
    assert write_rows(((i, f"t{i}") for i in range(7)), schema, tmp_path / "x.parquet") == 7
    assert pq.ParquetFile(tmp_path / "x.parquet").num_row_groups == 3
    assert list(stream_column(tmp_path / "x.parquet", "text")) == [f"t{i}" for i in range(7)]
    with pytest.raises(InputError, match="not a Parquet file"):
        read_table(__file__)
