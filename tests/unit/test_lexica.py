"""Lexicon readers on files of every kind, good and bad."""

import sqlite3

import pytest

from xstitch.errors import InputError
from xstitch.lexica import Entry, lexicon_table, read_muse, read_panlex_lite, read_tsv


def write(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "lexicon.txt"
    path.write_bytes(text.encode(encoding))
    return path


def test_muse_reads_spaces_and_tabs_and_several_translations(tmp_path):
    path = write(tmp_path, "dog hund\ndog köter\ncat\tkatze\n\n")
    assert list(read_muse(path)) == [("dog", "hund", 1.0), ("dog", "köter", 1.0), ("cat", "katze", 1.0)]


def test_muse_refuses_a_line_of_three_words(tmp_path):
    with pytest.raises(InputError, match=r"lexicon.txt:2: a MUSE dictionary has two words"):
        list(read_muse(write(tmp_path, "dog hund\nice cream eis\n")))


def test_wrong_encoding_is_one_line(tmp_path):
    with pytest.raises(InputError, match="not UTF-8"):
        list(read_muse(write(tmp_path, "dog köter\n", "latin-1")))


def test_tsv_takes_header_scores_and_spaces_within_words(tmp_path):
    path = write(tmp_path, "\ufeffsource\ttarget\tscore\nice cream\teis\t0.5\ndog\thund\n")
    assert list(read_tsv(path)) == [("ice cream", "eis", 0.5), ("dog", "hund", 1.0)]


@pytest.mark.parametrize("line", ["dog", "dog\thund\tx", "dog\t", "a\tb\t1\t2"])
def test_tsv_names_the_bad_line(tmp_path, line):
    with pytest.raises(InputError, match=r"lexicon.txt:2: "):
        list(read_tsv(write(tmp_path, f"cat\tkatze\n{line}\n")))


def test_a_pair_listed_twice_keeps_its_best_score():
    table = lexicon_table([Entry("a", "x", 1), Entry("b", "y", 2), Entry("a", "x", 5)])
    assert table.to_pydict() == {"source": ["a", "b"], "target": ["x", "y"], "score": [5.0, 2.0]}


def test_an_empty_lexicon_is_an_empty_table():
    assert lexicon_table([]).num_rows == 0


@pytest.fixture
def panlex(tmp_path):
    path = tmp_path / "db.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE lv (lv INTEGER, uid TEXT);
            CREATE TABLE ex (ex INTEGER, lv INTEGER, tt TEXT);
            CREATE TABLE dnx (mn INTEGER, ex INTEGER, ui INTEGER, ap INTEGER, uq INTEGER);
            INSERT INTO lv VALUES (1, 'eng-000'), (2, 'fao-000'), (3, 'deu-000');
            INSERT INTO ex VALUES (10, 1, 'dog'), (20, 2, 'hundur'), (21, 2, 'rakki'), (30, 3, 'Hund');
            -- source 1 lists dog=hundur under two meanings (quality 3 and 7), source 2 once (quality 5);
            -- rakki once by source 2; the German word shares a meaning but is another language.
            INSERT INTO dnx VALUES (100, 10, 1, 1, 3), (100, 20, 1, 1, 3),
                                   (101, 10, 1, 1, 7), (101, 20, 1, 1, 7), (101, 30, 1, 1, 7),
                                   (102, 10, 2, 2, 5), (102, 20, 2, 2, 5), (102, 21, 2, 2, 5);
            """
        )
    return path


def test_panlex_quality_adds_up_the_best_of_each_source(panlex):
    pairs = list(read_panlex_lite(panlex, "eng-000", "fao-000"))
    assert pairs == [("dog", "hundur", 12.0), ("dog", "rakki", 5.0)]


def test_panlex_without_the_language_says_so(panlex):
    with pytest.raises(InputError, match="no language variety 'xyz-000'"):
        list(read_panlex_lite(panlex, "eng-000", "xyz-000"))


def test_a_file_that_is_no_panlex_database(tmp_path):
    with pytest.raises(InputError, match="not a PanLex Lite database"):
        list(read_panlex_lite(write(tmp_path, "hello " * 100), "eng-000", "fao-000"))
