"""PanLex in its three forms, with files small enough to join by hand."""

import sqlite3
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from xstitch.core.errors import InputError
from xstitch.sources.lexica import lexicon_table
from xstitch.sources.panlex import read_panlex_lite, read_panlex_meanings, read_swadesh

HEADER = "id\tlangvar\ttxt\ttxt_degr\tmeaning\tlangvar_uid"
# dog and hundur share meanings 100 and 101; 103 is of another English. "NA" is a word, not a missing value.
ENGLISH = [
    ("1", "187", "dog", "dog", "100", "eng-000"),
    ("1", "187", "dog", "dog", "101", "eng-000"),
    ("2", "187", "NA", "na", "102", "eng-000"),
    ("3", "188", "dog", "dog", "103", "eng-001"),
    ("4", "187", 'so-called ""dog""', "so called dog", "104", "eng-000"),
    ("5", "187", "lonely", "lonely", "105", "eng-000"),
]
FAROESE = [
    ("11", "2", "hundur", "hundur", "100", "fao-000"),
    ("11", "2", "hundur", "hundur", "101", "fao-000"),
    ("12", "2", "rakki", "rakki", "101", "fao-000"),
    ("11", "2", "hundur", "hundur", "103", "fao-000"),
    ("13", "2", "null", "null", "102", "fao-000"),
    ("14", "2", "hvutti", "hvutti", "104", "fao-000"),
]
JOINED = [
    ("NA", "null", 1.0),
    ("dog", "hundur", 2.0),
    ("dog", "rakki", 1.0),
    ('so-called "dog"', "hvutti", 1.0),
]


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


def test_a_file_that_is_not_a_panlex_database_is_refused(tmp_path):
    file = tmp_path / "db.sqlite"
    file.write_text("hello " * 100)
    with pytest.raises(InputError, match="not a PanLex Lite database"):
        list(read_panlex_lite(file, "eng-000", "fao-000"))


def write_tsv(path, rows):
    # As pandas does: text with quotation marks is quoted, and the marks are doubled.
    lines = ["\t".join(f'"{field}"' if '"' in field else field for field in row) for row in rows]
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path


def write_parquet(path, rows):
    columns = dict(zip(HEADER.split("\t"), map(list, zip(*rows, strict=True)), strict=True))
    columns["meaning"] = [int(value) for value in columns["meaning"]]
    columns["txt"] = [text.replace('""', '"') for text in columns["txt"]]
    pq.write_table(pa.table(columns), path, row_group_size=2)
    return path


@pytest.mark.parametrize("write", [write_tsv, write_parquet])
def test_meanings_are_joined_and_counted(tmp_path, write):
    english, faroese = write(tmp_path / "eng", ENGLISH), write(tmp_path / "fao", FAROESE)
    assert list(read_panlex_meanings([english], [faroese], "eng-000", "fao-000")) == JOINED


def test_files_of_one_language_are_merged_and_repeated_rows_count_once(tmp_path):
    parts = [write_tsv(tmp_path / "0", ENGLISH[:1]), write_parquet(tmp_path / "1", ENGLISH)]
    faroese = write_tsv(tmp_path / "fao", FAROESE)
    assert list(read_panlex_meanings(parts, [faroese], "eng-000", "fao-000")) == JOINED


def test_a_null_text_is_left_out(tmp_path):
    rows = pa.table({"meaning": [100, 101], "txt": [None, "rakki"], "langvar_uid": ["fao-000"] * 2})
    pq.write_table(rows, tmp_path / "fao")
    english = write_tsv(tmp_path / "eng", ENGLISH)
    pairs = list(read_panlex_meanings([english], [tmp_path / "fao"], "eng-000", "fao-000"))
    assert pairs == [("dog", "rakki", 1.0)]


def test_languages_without_shared_meanings_give_an_empty_lexicon(tmp_path):
    english, faroese = write_tsv(tmp_path / "eng", ENGLISH[:1]), write_tsv(tmp_path / "fao", FAROESE[5:])
    assert lexicon_table(read_panlex_meanings([english], [faroese], "eng-000", "fao-000")).num_rows == 0


def test_a_missing_variety_is_refused_with_those_in_the_file(tmp_path):
    english, faroese = write_tsv(tmp_path / "eng", ENGLISH), write_tsv(tmp_path / "fao", FAROESE)
    with pytest.raises(InputError, match=r"eng: has no variety 'eng-009', but eng-000, eng-001"):
        list(read_panlex_meanings([english], [faroese], "eng-009", "fao-000"))


@pytest.mark.parametrize("content", [b"", b"<html>\n", b"PAR1PAR1", f"{HEADER}\n1\t2\ta\ta\tx\ty\n".encode()])
def test_a_file_without_meanings_is_refused(tmp_path, content):
    (tmp_path / "eng").write_bytes(content)
    faroese = write_tsv(tmp_path / "fao", FAROESE)
    with pytest.raises(InputError, match="eng: not a file of meanings with the columns") as caught:
        list(read_panlex_meanings([tmp_path / "eng"], [faroese], "eng-000", "fao-000"))
    assert "\n" not in str(caught.value)


def test_a_parquet_file_without_the_columns_is_refused(tmp_path):
    pq.write_table(pa.table({"meaning": [1]}), tmp_path / "eng")
    faroese = write_tsv(tmp_path / "fao", FAROESE)
    with pytest.raises(InputError, match="eng: not a file of meanings with the columns"):
        list(read_panlex_meanings([tmp_path / "eng"], [faroese], "eng-000", "fao-000"))


def swadesh(path, lists):
    """Write lists of the first few concepts; the others have no words."""
    with zipfile.ZipFile(path, "w") as archive:
        for (size, uid), lines in lists.items():
            text = "\n".join([*lines, *[""] * (size - len(lines))]) + "\n"
            archive.writestr(f"panlex_swadesh/swadesh{size}/{uid}.txt", text)
    return path


def test_swadesh_lists_pair_the_words_of_a_line(tmp_path):
    archive = swadesh(
        tmp_path / "lists.zip",
        {
            (207, "eng-000"): ["I\tme", "", "dog"],
            (207, "fao-000"): ["eg", "tú", "hundur\trakki"],
            (110, "eng-000"): ["all"],
            (110, "fao-000"): ["allir"],
        },
    )
    pairs = [("I", "eg"), ("me", "eg"), ("dog", "hundur"), ("dog", "rakki")]
    expected = [("all", "allir", 1.0), *((s, t, 1.0) for s, t in pairs)]
    assert list(read_swadesh(archive, "eng-000", "fao-000")) == expected


def test_a_variety_without_a_list_gets_those_of_its_language(tmp_path, caplog):
    lists = {(110, "eng-000"): ["dog"], (110, "nds-001"): ["hond"], (110, "nds-002"): ["Hund"]}
    archive = swadesh(tmp_path / "lists.zip", {**lists, (110, "ndsx-000"): ["other"]})
    pairs = list(read_swadesh(archive, "eng-000", "nds-000"))
    assert pairs == [("dog", "hond", 1.0), ("dog", "Hund", 1.0)]
    assert "no list of nds-000" in caplog.text
    assert list(read_swadesh(archive, "eng-000", "nds-002")) == [("dog", "Hund", 1.0)]


def test_a_language_without_a_list_is_named(tmp_path):
    archive = swadesh(tmp_path / "lists.zip", {(110, "eng-000"): ["dog"]})
    with pytest.raises(InputError, match="has no list for 'fao-000'"):
        list(read_swadesh(archive, "eng-000", "fao-000"))


def test_a_list_of_another_length_cannot_be_aligned(tmp_path):
    archive = swadesh(tmp_path / "lists.zip", {(110, "eng-000"): ["dog"] * 111, (110, "fao-000"): []})
    with pytest.raises(InputError, match=r"swadesh110/eng-000.txt: has 111 lines, not 110, one per concept"):
        list(read_swadesh(archive, "eng-000", "fao-000"))


def test_a_damaged_archive_is_refused_in_one_line(tmp_path):
    (tmp_path / "lists.zip").write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(InputError, match="cannot be unpacked"):
        list(read_swadesh(tmp_path / "lists.zip", "eng-000", "fao-000"))


def test_a_list_that_is_not_utf8_is_refused_in_one_line(tmp_path):
    with zipfile.ZipFile(tmp_path / "lists.zip", "w") as archive:
        archive.writestr("panlex_swadesh/swadesh110/eng-000.txt", "tú\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"eng-000.txt: not UTF-8 text"):
        list(read_swadesh(tmp_path / "lists.zip", "eng-000", "eng-000"))
