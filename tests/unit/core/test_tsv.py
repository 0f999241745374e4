"""Small tab-separated tables: what is written reads back the same, and anything else is refused."""

import pytest

from xstitch.core.errors import InputError
from xstitch.core.tsv import read_records, read_tsv, tsv_rows, write_records, write_tsv

RECORDS = [{"word": "a b", "note": 'said "so"'}, {"word": "ŋ", "note": ""}]


def test_records_come_back_as_they_were(tmp_path):
    write_records(iter(RECORDS), tmp_path / "t.tsv")
    assert read_records(tmp_path / "t.tsv") == RECORDS


def test_rows_come_back_as_text_and_with_their_lines(tmp_path):
    write_tsv(tmp_path / "t.tsv", ["x", "y"], [[1, "two\tfields"], [0.5, "z"]])
    assert read_tsv(tmp_path / "t.tsv") == [["x", "y"], ["1", "two\tfields"], ["0.5", "z"]]
    assert tsv_rows(tmp_path / "t.tsv") == [(1, ["x", "y"]), (2, ["1", "two\tfields"]), (3, ["0.5", "z"])]


def test_a_failure_leaves_the_earlier_file(tmp_path):
    write_records(RECORDS, tmp_path / "t.tsv")
    with pytest.raises(RuntimeError):
        write_tsv(tmp_path / "t.tsv", ["x"], _failing_rows())
    assert read_records(tmp_path / "t.tsv") == RECORDS


def _failing_rows():
    yield ["1"]
    raise RuntimeError


def test_a_file_that_is_not_a_table_is_refused_with_its_line(tmp_path):
    (tmp_path / "t.tsv").write_text("x\ty\na\rb\tc\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"t.tsv:2: not a tab-separated table"):
        tsv_rows(tmp_path / "t.tsv")
